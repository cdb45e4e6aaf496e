// The curves of the training view: the field of a row that each shows, and its words for a person
// who does not know the field.
import { texts } from "../texts.js";

/** The most suite scores with names that this page does not know. */
const MOST_UNKNOWN = 12;

const whole = (value) => texts.number(Math.round(value));
const fixed = (digits) => (value) => value.toFixed(digits);

const SHARE = { better: 1, text: texts.training.percent, isShare: true };

/** The scores of a suite by the end of their fields. `better` is 1 where higher is better, and -1 where lower is. */
const SCORES = {
  search_optimal: SHARE, policy_optimal: SHARE, sign_agreement: SHARE, margin_error: { better: -1, text: texts.training.boxes },
};

/** The curves that are no scores of a suite. */
const OTHERS = [
  ["losses", -1, { policy_loss: fixed(3), margin_loss: fixed(3), edge_loss: fixed(3), margin_error: texts.training.boxes }],
  ["speed", 1, { games_per_second: fixed(1), evaluations_per_second: whole }],
].map(([id, better, formats]) => ({
  id, ...texts.training.groups[id],
  curves: Object.entries(formats).map(([field, text]) => ({ field, better, text, ...texts.training.curves[field] })),
}));

/** Returns the curve of a suite's score. Fields between `suite_` and a known end name a part of the suite. */
export function scoreOf(field) {
  const known = /^suite_(?:(.*)_)?(search_optimal|policy_optimal|sign_agreement|margin_error)$/;
  const [, part, end] = known.exec(field) ?? [];
  if (end) return { field, part: part?.replaceAll("_", " ") ?? texts.training.all, ...SCORES[end], ...texts.training.scores[end] };
  const title = field.replace(/^suite_/, "").replaceAll("_", " ");
  const isError = /error|regret|loss|cost|miss/.test(field);
  return {
    field, part: null, topic: title, title: title.charAt(0).toUpperCase() + title.slice(1),
    ...(isError ? { better: -1, text: fixed(2), about: texts.training.lower } : { ...SHARE, about: texts.training.higher }),
  };
}

/** Returns 1 for a score of all positions, which comes first, or else 0. */
const isOfAll = ({ part }) => Number(part === texts.training.all);

/** Returns the scores that these rows have, in the order in which they are shown. */
export function scoresOf(rows) {
  const fields = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => name.startsWith("suite_"))));
  const scores = [...fields].sort().map(scoreOf).sort((a, b) => isOfAll(b) - isOfAll(a));
  const known = Object.keys(SCORES).flatMap((end) => scores.filter(({ field, part }) => part && field.endsWith(end)));
  return [...known, ...scores.filter(({ part }) => !part).slice(0, MOST_UNKNOWN)];
}

/** Returns the groups of curves for these rows, as `{id, title, about, curves}`, scores first. */
export function groupsOf(rows) {
  const scores = scoresOf(rows);
  const parts = [...new Set(scores.map(({ part }) => part))];
  const suites = parts.map((part) => ({
    id: `scores-${part}`, large: true, curves: scores.filter((score) => score.part === part),
    title: parts.length === 1 ? texts.training.suite : texts.training.suitePart(part ?? texts.training.others),
    about: texts.training.suiteAbout,
  }));
  return [...suites, ...OTHERS];
}
