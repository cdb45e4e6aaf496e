// The bots one can play against, weakest first, and the budgets by which thinking deepens.

export const STRENGTHS = [
  { id: "random", name: "Random", bot: "random", says: "any edge at all" },
  { id: "greedy", name: "Greedy", bot: "greedy", says: "takes boxes, avoids third sides" },
  { id: "chains", name: "Chains", bot: "chains", says: "counts chains, keeps control" },
  { id: "policy", name: "Policy only", bot: "net", simulations: 0, nodes: 0, says: "the network at first sight" },
  { id: "easy", name: "Easy", bot: "net", simulations: 16, nodes: 0 },
  { id: "medium", name: "Medium", bot: "net", simulations: 100, nodes: 20_000 },
  { id: "strong", name: "Strong", bot: "net", simulations: 400, nodes: 300_000 },
  { id: "strongest", name: "Strongest", bot: "net", simulations: 6400, nodes: 4_000_000 },
];

/** What a look, one after another, may spend. A later one finds the earlier one's exact values already known. */
export const LOOKS = [
  { simulations: 50, nodes: 20_000 },
  { simulations: 200, nodes: 200_000 },
  { simulations: 800, nodes: 1_000_000 },
  { simulations: 3200, nodes: 4_000_000 },
  { simulations: 12_800, nodes: 12_000_000 },
];

export const HINT = { bot: "net", simulations: 400, nodes: 300_000 };

/** The spending on each position of a game that is gone through move by move. */
export const REVIEW = { simulations: 200, nodes: 150_000 };

export function strengthOf(id) {
  return STRENGTHS.find((strength) => strength.id === id) ?? null;
}

/** What a bot does, in a few words. */
export function saysOf({ says, simulations, nodes }) {
  const number = (value) => value.toLocaleString("en");
  return says ?? `${number(simulations)} simulations, ${nodes ? `${number(nodes)} solver nodes` : "no solver"}`;
}

/** Growing budgets that end in the strength's own, so that there is soon something to play when asked to move now. */
export function budgetsOf({ bot, simulations, nodes }) {
  if (bot !== "net") return [{}];
  const smaller = LOOKS.filter((look) => look.simulations < simulations && look.nodes < nodes);
  return [...smaller.slice(0, -1), { simulations, nodes }];
}
