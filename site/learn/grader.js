// Grades answers by exact values of positions, which the solver in a bot's worker finds.
import { remember, settled } from "../analysis/analysis.js";

/** Solver nodes of successive analyses: exact at once on small boards, a few seconds on large ones. */
const NODES = [20_000, 200_000, 1_000_000, 3_000_000];

/** How many of them are spent ahead of an answer. */
const AHEAD = 3;

const MAX_KEPT = 100;

export class Grader {
  /** The solver of the bot's module at an address is asked, or of that for the board if the address is null. */
  constructor(client, module = null) {
    this.client = client;
    this.module = module;
    this.kept = new Map();
    /** The position that is analyzed ahead of its use, or null. */
    this.ahead = null;
    /** The entry of the position that the client was asked about last, or null. */
    this.asked = null;
  }

  /**
   * Returns a promise of the analysis of a position. It goes deeper until `isEnough` holds for it or
   * `most` budgets are spent.
   */
  async analyze(game, isEnough = settled, most = NODES.length) {
    const text = game.text;
    const entry = this.kept.get(text) ?? { result: null, depth: 0, asking: null };
    remember(this.kept, text, entry, MAX_KEPT);
    while (entry.depth < most && !(entry.result && isEnough(entry.result))) {
      entry.asking ??= this.ask(game, entry);
      await entry.asking;
    }
    return entry.result;
  }

  /** Analyses a position while a person thinks about it. An error is left to the one who asks. */
  async prepare(game) {
    const text = game.text;
    this.ahead = text;
    const isEnough = (result) => this.ahead !== text || settled(result);
    await this.analyze(game, isEnough, AHEAD).catch(() => {});
  }

  /** Asks the client about a position. That cancels its question before. */
  ask(game, entry) {
    this.drop();
    this.asked = entry;
    const question = { what: "analyze", game: game.text, simulations: 0, nodes: NODES[entry.depth] };
    const asking = this.client.ask(game.board, question, this.module).then((result) => {
      entry.result = result;
      entry.depth += 1;
    }).finally(() => {
      if (entry.asking === asking) entry.asking = null;
    });
    return asking;
  }

  /** Drops the question that is canceled, which may be rejected only later, so that no question joins it. */
  drop() {
    if (this.asked) this.asked.asking = null;
    this.asked = null;
  }

  stop() {
    this.ahead = null;
    this.drop();
    this.client.stop();
  }
}

/** Returns the proved bounds of the final margin when an edge is drawn, for the player to move. */
export function boundsOf(game, result, edge) {
  const { lower, upper } = result.edges.find((entry) => game.board.edge(entry.edge) === edge);
  return { lower, upper };
}

/** Returns whether no edge is better than this one, or null where that is not proved. */
export function isBest(game, result, edge) {
  const { lower, upper } = boundsOf(game, result, edge);
  if (upper < Math.max(result.lower, ...result.edges.map((entry) => entry.lower))) return false;
  return lower >= Math.min(result.upper, Math.max(...result.edges.map((entry) => entry.upper))) ? true : null;
}

/** Returns the edges with the best exact value. */
export function bestEdges(game, result) {
  const best = Math.max(...result.edges.map(({ lower }) => lower));
  return result.edges.filter(({ lower }) => lower === best).map(({ edge }) => game.board.edge(edge));
}
