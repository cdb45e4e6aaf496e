// The curves of the training view: the field of a row that each shows, and its words for a person
// who does not know the field.

/** The part of a score that is of the whole suite. */
const ALL = "all positions";

/** The most suite scores with names that this page does not know. */
const MOST_UNKNOWN = 12;

const percent = (value) => `${(100 * value).toFixed(1)}\u00a0%`;
const whole = (value) => Math.round(value).toLocaleString("en");
const fixed = (digits, unit = "") => (value) => `${value.toFixed(digits)}${unit}`;

/**
 * The scores of a suite by the end of their fields. `better` is 1 where higher is better, and -1 where lower is, and
 * `topic` stands for the title within a sentence.
 */
const SCORES = {
  search_optimal: {
    title: "Chooses a best edge after searching", topic: "best edges after searching", better: 1, text: percent,
    isShare: true,
    about: "How often the edge that it plays after a search is one of the best. Higher is better.",
  },
  policy_optimal: {
    title: "Chooses a best edge at first sight", topic: "best edges at first sight", better: 1, text: percent,
    isShare: true,
    about: "How often the network's first choice, without a search, is one of the best edges. Higher is better.",
  },
  sign_agreement: {
    title: "Knows who gets more of the boxes left", topic: "who gets more of the boxes left", better: 1, text: percent,
    isShare: true,
    about: "How often it expects the right player to win the rest of the game. Higher is better.",
  },
  margin_error: {
    title: "Error of the expected result", topic: "the expected result", better: -1,
    text: fixed(2, "\u00a0boxes"),
    about: "How far the result that it expects is from the exact one, on average. Lower is better.",
  },
};

/** The curves that are no scores of a suite. */
const OTHERS = [
  {
    id: "losses", title: "Losses",
    about: "How far the network is from what it learns in each generation. Losses fall as it learns, but they rise "
      + "when its games get harder: go by the scores first.",
    curves: [
      { field: "policy_loss", title: "Loss of its choice of edges", better: -1, text: fixed(3),
        about: "How unlikely it found the edges that its searches chose, in nats. Lower is better." },
      { field: "margin_loss", title: "Loss of its expected results", better: -1, text: fixed(3),
        about: "How unlikely it found the results of its games, in nats. Lower is better." },
      { field: "edge_loss", title: "Loss of its value of each edge", better: -1, text: fixed(3),
        about: "Mean squared error of its value of each edge, on solved positions. Lower is better." },
      { field: "margin_error", title: "Error of the expected result in its own games", better: -1, text: fixed(2, "\u00a0boxes"),
        about: "How far the result that it expected in its newest games is from the proved one. Lower is better." },
    ],
  },
  {
    id: "speed", title: "Speed",
    about: "How fast the run works. Speed depends on the machine and says nothing about the network's play.",
    curves: [
      { field: "games_per_second", title: "Games per second", better: 1, text: fixed(1),
        about: "Games that the run plays against itself." },
      { field: "evaluations_per_second", title: "Positions evaluated per second", better: 1, text: whole,
        about: "Positions that its searches ask the network about." },
    ],
  },
];

/** Returns the curve of a suite's score. Fields between `suite_` and a known end name a part of the suite. */
export function scoreOf(field) {
  const known = /^suite_(?:(.*)_)?(search_optimal|policy_optimal|sign_agreement|margin_error)$/;
  const [, part, end] = known.exec(field) ?? [];
  if (end) return { field, part: part?.replaceAll("_", " ") ?? ALL, ...SCORES[end] };
  const title = field.replace(/^suite_/, "").replaceAll("_", " ");
  const isError = /error|regret|loss|cost|miss/.test(field);
  return {
    field, part: null, topic: title, title: title.charAt(0).toUpperCase() + title.slice(1), better: isError ? -1 : 1,
    ...(isError ? { text: fixed(2) } : { text: percent, isShare: true }),
    about: isError ? "Lower is better." : "Higher is better.",
  };
}

/** Returns 1 for a score of all positions, which comes first, or else 0. */
const isOfAll = ({ part }) => Number(part === ALL);

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
    title: parts.length === 1 ? "Scores on solved positions" : `Scores: ${part ?? "others"}`,
    about: "Measured on the run's suite: positions that it never learns from, whose best edges and results the exact "
      + "solver has proved. They are the best measure of its play.",
  }));
  return [...suites, ...OTHERS];
}
