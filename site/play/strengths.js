// The bots of the page, and the budgets of bots, analysis, hints and reviews.
import { texts } from "../texts.js";

/**
 * The levels for people, the weakest first: the bots level:1 to level:9 and, as the last, the
 * network with a large budget.
 */
export const LEVELS = texts.bots.levels.map(([name, description], index) => {
  const id = `level:${index + 1}`;
  return { id, name, label: `${index + 1}. ${name}`, bot: id, description };
});

// Ids stand in saved games. What the network plays is not what the program's level:10 repeats.
Object.assign(LEVELS.at(-1), { id: "master", bot: "net", simulations: 6400, nodes: 4_000_000 });

/** The other bots to watch, the weakest first. */
export const OTHER_BOTS = [
  { id: "random", bot: "random" },
  { id: "greedy", bot: "greedy" },
  { id: "chains", bot: "chains" },
  { id: "policy", bot: "net", simulations: 0, nodes: 0 },
  { id: "easy", bot: "net", simulations: 16, nodes: 0 },
  { id: "medium", bot: "net", simulations: 100, nodes: 20_000 },
  { id: "strong", bot: "net", simulations: 400, nodes: 300_000 },
  { id: "strongest", bot: "net", simulations: 6400, nodes: 4_000_000 },
].map((bot) => ({ ...bot, name: texts.bots.named[bot.id][0], description: texts.bots.named[bot.id][1] }));

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
    const [search, alone] = [texts.bots.withSolver(network.simulations), texts.bots.withoutSolver(network.simulations)];
    const named = { name: texts.bots.noSolver(name), label: texts.bots.alone(name), description: alone };
    GIVEN_NETWORKS.push({ ...network, id: `net:${name}`, name, label: name, description: search });
    GIVEN_NETWORKS.push({ ...network, id: `net:${name},nodes=0`, nodes: 0, ...named });
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
  return description ?? texts.bots.budget(simulations, nodes);
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
