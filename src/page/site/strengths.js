// The bots of the page, the weakest first, and the budgets of bots, analysis, hints and reviews.

export const STRENGTHS = [
  { id: "random", name: "Random", bot: "random", description: "draws any edge" },
  { id: "greedy", name: "Greedy", bot: "greedy", description: "takes boxes and avoids giving them away" },
  { id: "chains", name: "Chains", bot: "chains", description: "counts chains and keeps control" },
  { id: "policy", name: "Policy only", bot: "net", simulations: 0, nodes: 0, description: "the network without search" },
  { id: "easy", name: "Easy", bot: "net", simulations: 16, nodes: 0 },
  { id: "medium", name: "Medium", bot: "net", simulations: 100, nodes: 20_000 },
  { id: "strong", name: "Strong", bot: "net", simulations: 400, nodes: 300_000 },
  { id: "strongest", name: "Strongest", bot: "net", simulations: 6400, nodes: 4_000_000 },
];

/** The budgets of successive analyses of a position. Exact values of earlier ones are kept. */
export const ANALYSIS_BUDGETS = [
  { simulations: 50, nodes: 20_000 },
  { simulations: 200, nodes: 200_000 },
  { simulations: 800, nodes: 1_000_000 },
  { simulations: 3200, nodes: 4_000_000 },
  { simulations: 12_800, nodes: 12_000_000 },
];

/** The bot and the budget of a hint. */
export const HINT_BUDGET = { bot: "net", simulations: 400, nodes: 300_000 };

/** The budget for each position of a game that is reviewed. */
export const REVIEW_BUDGET = { simulations: 200, nodes: 150_000 };

/** Returns the strength with this id, or null. */
export function strengthOf(id) {
  return STRENGTHS.find((strength) => strength.id === id) ?? null;
}

/** Describes a bot in a few words. */
export function descriptionOf({ description, simulations, nodes }) {
  const number = (value) => value.toLocaleString("en");
  return description ?? `${number(simulations)} simulations, ${nodes ? `${number(nodes)} solver nodes` : "no solver"}`;
}

/**
 * Returns growing budgets that end in the strength's own, so that a bot soon has a move to play at
 * once.
 */
export function budgetsOf({ bot, simulations, nodes }) {
  if (bot !== "net") return [{}];
  const smaller = ANALYSIS_BUDGETS.filter((budget) => budget.simulations < simulations && budget.nodes < nodes);
  return [...smaller.slice(0, -1), { simulations, nodes }];
}
