// What must be true of a move whose mistake has some kind, by exact values and the bare rules.
import { YES } from "./values.mjs";

/**
 * The facts about a move: its edge, the position as the mask of its drawn edges, the best edges,
 * the boxes that can be taken one after another with what is left then, and the cost.
 */
export function factsOf(values, before, edge) {
  const mask = values.maskOf(before);
  const cost = values.table[mask] - values.after(mask, edge);
  return { values, mask, edge, best: values.best(mask), offer: values.takeAll(mask), cost };
}

/** Returns the number of boxes that an edge puts on offer where there were none. */
const opened = ({ values, mask }, edge) => values.takeAll(mask | (1 << edge)).boxes;

const takes = ({ values, mask }, edge) => values.taken(mask, edge) > 0;
const isSafe = ({ values, mask }, edge) => !takes({ values, mask }, edge) && !values.given(mask, edge);
const takesAllBest = ({ values, mask, offer }) => offer.boxes + values.table[offer.rest] === values.table[mask];

/** Returns true if an edge is one of those beside the boxes on offer. */
const isBeside = ({ offer }, edge) => (offer.rest & (1 << edge)) !== 0;

/** Returns true if best play leaves boxes on offer behind by an edge beside them. */
function leavesBoxes(facts) {
  const { values } = facts;
  let at = facts.mask;
  for (;;) {
    const best = values.best(at);
    const next = best.find((edge) => values.taken(at, edge));
    const offer = values.takeAll(at);
    if (next === undefined) return best.length > 0 && best.every((edge) => isBeside({ offer }, edge));
    at |= 1 << next;
  }
}

/** The claims by kind. */
export const CLAIMS = {
  missed: (facts) => !takes(facts, facts.edge) && facts.best.some((other) => takes(facts, other)),
  took: (facts) => takes(facts, facts.edge) && leavesBoxes(facts) && !takesAllBest(facts),
  left: (facts) => !takes(facts, facts.edge) && isBeside(facts, facts.edge) && takesAllBest(facts),
  control: (facts) => facts.offer.boxes > 0 && !isBeside(facts, facts.edge) && leavesBoxes(facts)
    && facts.best.every((other) => !takes(facts, other)),
  gave: (facts) => facts.offer.boxes === 0 && facts.values.edges(facts.mask).some((other) => isSafe(facts, other))
    && facts.best.some((other) => opened(facts, other) < opened(facts, facts.edge)),
  longer: (facts) => facts.offer.boxes === 0 && !facts.values.edges(facts.mask).some((other) => isSafe(facts, other))
    && facts.best.some((other) => opened(facts, other) < opened(facts, facts.edge)),
  half: ({ values, mask, edge, cost }) => opened({ values, mask }, edge) === 2
    && values.canKeepControl(mask | (1 << edge))
    // A better edge puts both boxes of the same chain on offer at once, and saves most of the cost.
    && values.edges(mask).some((other) => values.given(mask, other) === 2
      && 2 * (values.after(mask, other) - values.after(mask, edge)) > cost
      && values.takeAll(mask | (1 << other)).rest === values.takeAll(mask | (1 << edge)).rest),
  // Some line of best play leads to control before the move, and one of the opponent's after it.
  parity: ({ values, mask, edge, offer }) => offer.boxes === 0
    && (values.controllers(mask) & YES) > 0 && (values.controllers(mask | (1 << edge)) & YES) > 0,
  slip: (facts) => !takes(facts, facts.edge),
};

/** Returns the numbers in a text, in which "a box" is 1 and words are numbers too. */
function numbersIn(words) {
  const named = { "a box": "1", two: "2", four: "4" };
  return [...words.replace(/a box\b|two|four/g, (name) => named[name]).matchAll(/\d+/g)].map(Number);
}

/** Returns true if the kind of a mistake is true and its words name the right numbers. */
export function holds({ kind, words }, facts) {
  const { edge, best, offer, cost } = facts;
  if (!CLAIMS[kind]?.(facts) || !/^[A-Z][^.]*\.$/.test(words) || words.length > 80) return false;
  const [first, second] = numbersIn(words);
  if (kind === "gave" || kind === "longer") {
    const least = Math.min(...best.map((other) => opened(facts, other)));
    return first === opened(facts, edge) && (second ?? 0) === (words.includes("safe line") ? 0 : least);
  }
  if (kind === "missed" && words.includes("for nothing")) return [2, 4].includes(offer.boxes - first);
  if (kind === "missed") return first === offer.boxes;
  if (kind === "slip") return numbersIn(words).at(-1) === cost / 2;
  return true;
}
