// The bots of the page, and the budgets of bots, analysis, hints and reviews.

/**
 * The levels for people, the weakest first: the bots level:1 to level:9 and, as the last, the
 * network with a large budget.
 */
export const LEVELS = [
  ["First-timer", "takes most boxes, overlooks some, and often gives boxes away"],
  ["Collector", "takes every box, but now and then gives one away without need"],
  ["Careful", "gives no box away while it can avoid it, then opens any long chain"],
  ["Saver", "opens the shortest chain, but takes every box and so loses control"],
  ["Controller", "leaves boxes to keep control, but often takes too much"],
  ["Counter", "always keeps control, and counts the long chains once few safe edges are left"],
  ["Planner", "counts the long chains to come from the middle of the game on, roughly"],
  ["Strategist", "counts the long chains early, and plays the end without a mistake"],
  ["Expert", "has a feeling for every position, looks a little ahead, and knows the end"],
  ["Master", "searches far ahead, and is exact long before the end"],
].map(([name, description], index) => {
  const id = `level:${index + 1}`;
  return { id, name, label: `${index + 1}. ${name}`, bot: id, description };
});

// Ids stand in saved games. What the network plays is not what the program's level:10 repeats.
Object.assign(LEVELS.at(-1), { id: "master", bot: "net", simulations: 6400, nodes: 4_000_000 });

/** The other bots to watch, the weakest first. */
export const OTHER_BOTS = [
  { id: "random", name: "Random", bot: "random", description: "draws any edge" },
  { id: "greedy", name: "Greedy", bot: "greedy", description: "takes boxes and avoids giving them away" },
  { id: "chains", name: "Chains", bot: "chains", description: "counts chains and keeps control" },
  { id: "policy", name: "Policy only", bot: "net", simulations: 0, nodes: 0, description: "the network without search" },
  { id: "easy", name: "Easy", bot: "net", simulations: 16, nodes: 0 },
  { id: "medium", name: "Medium", bot: "net", simulations: 100, nodes: 20_000 },
  { id: "strong", name: "Strong", bot: "net", simulations: 400, nodes: 300_000 },
  { id: "strongest", name: "Strongest", bot: "net", simulations: 6400, nodes: 4_000_000 },
];

/** The bots that play by a network. The others play by rules and the solver. */
const WITH_NETWORK = ["net", "level:9", "level:10"];

/** Returns true if a bot plays by a network. */
export const usesNetwork = ({ bot }) => WITH_NETWORK.includes(bot);

/** The networks that `serve` was given, each with the solver and alone. */
export const GIVEN_NETWORKS = [];

/** The budget of a given network, which is that of the bot `net` on the command line. */
const GIVEN_BUDGET = { simulations: 200, nodes: 200_000 };

/**
 * Adds networks that `serve` was given, as `{name, module, boards}`. Their ids are names of bots on the
 * command line.
 */
export function addNetworks(given) {
  for (const { name, module, boards } of given) {
    const network = { bot: "net", module, boards, ...GIVEN_BUDGET };
    const search = `a search of ${GIVEN_BUDGET.simulations} simulations`;
    GIVEN_NETWORKS.push(
      { ...network, id: `net:${name}`, name, label: name, description: `the network with ${search} and the exact solver` },
      {
        ...network, id: `net:${name},nodes=0`, name: `${name}, no solver`, label: `${name}: network alone, no solver`, nodes: 0,
        description: `the network with ${search}, without the exact solver`,
      },
    );
  }
}

/** Returns all bots of the page. */
export const allStrengths = () => [...GIVEN_NETWORKS, ...LEVELS, ...OTHER_BOTS];

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

/** The budgets of the first and the second look at each position of a game that is reviewed. */
export const REVIEW_BUDGETS = [{ simulations: 20, nodes: 10_000 }, { simulations: 200, nodes: 150_000 }];

/** Returns the strength with this id, or null. */
export function strengthOf(id) {
  return allStrengths().find((strength) => strength.id === id) ?? null;
}

/** Describes a bot in a few words. */
export function descriptionOf({ description, simulations, nodes }) {
  const number = (value) => value.toLocaleString("en");
  return description ?? `${number(simulations)} simulations, ${nodes ? `${number(nodes)} solver nodes` : "no solver"}`;
}

/** The boxes of the largest board on which a search has all simulations of its strength. */
const ALL_SIMULATIONS_TO = 25;

/**
 * Returns growing budgets for a board of so many boxes that end in the strength's own, so that a bot
 * soon has a move to play at once. A larger board, where a network takes longer, has fewer simulations.
 */
export function budgetsOf({ bot, simulations, nodes }, boxes) {
  if (bot !== "net") return [{}];
  const most = Math.ceil(simulations * Math.min(1, ALL_SIMULATIONS_TO / boxes));
  const smaller = ANALYSIS_BUDGETS.filter((budget) => budget.simulations < most && budget.nodes < nodes);
  return [...smaller.slice(0, -1), { simulations: most, nodes }];
}
