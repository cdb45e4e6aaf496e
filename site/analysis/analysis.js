// The analysis of one position, with growing budgets until it is settled, the budgets are used up
// or it is stopped; and the margins and costs of all moves of a game.
import { Stopped } from "../page/bots.js";
import { knownMargin } from "../board/edge-costs.js";
import { mistakeOf } from "./mistakes.js";
import { ANALYSIS_BUDGETS, REVIEW_BUDGETS } from "../play/strengths.js";

/** The most positions whose results are kept. */
const MAX_RESULTS = 200;

/** The least estimated cost, in the final margin, whose mistake is named in a review. */
const LEAST_ESTIMATE = 1.5;

/** Returns true if every value of a result is exact, so that more search would change nothing. */
export function settled(result) {
  return result.lower === result.upper && result.edges.every((edge) => edge.lower === edge.upper);
}

/** The analysis of the position on show. `onChange` is called after each new result. */
export class Analysis {
  constructor(client, onChange) {
    this.client = client;
    this.onChange = onChange;
    this.results = new Map();
    this.text = null;
    this.running = false;
    this.fault = null;
  }

  /**
   * The result for the current position, as `{result, depth}` with the number of budgets spent, or
   * null.
   */
  get current() {
    return this.results.get(this.text) ?? null;
  }

  /** True if more search would change nothing, or the budgets are used up. */
  get finished() {
    const entry = this.current;
    return entry !== null && (entry.depth === ANALYSIS_BUDGETS.length || settled(entry.result));
  }

  /** Starts the analysis of a game's position, unless it is the current one. */
  async analyze(game) {
    const text = game.text;
    if (text === this.text) return;
    this.stop();
    this.text = text;
    if (game.over) return;
    await this.deepen(game);
  }

  /** Forgets all results, as those of another network. */
  forget() {
    this.close();
    this.results.clear();
  }

  /** Analyses the current position with further budgets. */
  async deepen(game) {
    const text = this.text;
    this.fault = null;
    this.running = true;
    try {
      while (!this.finished) {
        const depth = this.current?.depth ?? 0;
        const result = await this.client.ask(game.board, { what: "analyze", game: text, ...ANALYSIS_BUDGETS[depth] });
        remember(this.results, text, { result, depth: depth + 1 });
        this.onChange();
      }
    } catch (error) {
      if (error instanceof Stopped || this.text !== text) return;
      this.fault = error.message;
    }
    this.running = false;
    this.onChange();
  }

  /** Stops the search. Its results are kept. */
  stop() {
    if (this.running) this.client.stop();
    this.running = false;
  }

  /** Stops the search and leaves the position. */
  close() {
    this.stop();
    this.text = null;
  }
}

/** Keeps an entry in a map, and drops the oldest one if there are too many. */
export function remember(map, key, entry, most = MAX_RESULTS) {
  map.delete(key);
  map.set(key, entry);
  if (map.size > most) map.delete(map.keys().next().value);
}

/**
 * Returns a promise of Blue's final margin at every state of a game, as `{margin, exact, result}`,
 * with the analysis of the state, which is null at the end.
 *
 * A first look goes from the end to the beginning, since exact values help to settle those before
 * them. Those that it does not settle are looked at again, beginning beside the costliest moves.
 * `clients` share the work. `onMargin` is called after each answer with all margins.
 */
export async function marginsOf(clients, games, onMargin) {
  const margins = new Array(games.length).fill(null);
  let open = [...games.keys()].reverse();
  for (const budget of REVIEW_BUDGETS) {
    const work = async (client) => {
      while (open.length) {
        const at = open.shift();
        margins[at] = await marginOf(client, games[at], budget);
        onMargin(margins);
      }
    };
    await Promise.all(clients.map(work));
    const change = (at) => Math.abs(margins[at].margin - (margins[at + 1] ?? margins[at]).margin);
    const doubt = (at) => Math.max(change(at), at > 0 ? change(at - 1) : 0);
    open = [...games.keys()].filter((at) => !margins[at].exact).sort((a, b) => doubt(b) - doubt(a));
  }
  return margins;
}

/** Returns a promise of Blue's final margin at a state. */
async function marginOf(client, game, budget) {
  if (game.over) return { margin: game.margin(0), exact: true, result: null };
  const result = await client.ask(game.board, { what: "analyze", game: game.text, ...budget });
  const { margin, exact } = knownMargin(result);
  return { margin: game.mover === 0 ? margin : -margin, exact, result };
}

/**
 * Returns the boxes that each move cost its mover, as `{at, seat, edge, cost, exact, mistake, better}`,
 * where the margins are known: the number of boxes that the mover owns less at the end, half of the
 * loss of margin. `mistake` is `{kind, words}`, or null; `better` is the name of the best edge, or
 * null.
 */
export function costsOf(games, margins) {
  const costs = [];
  for (let at = 0; at + 1 < games.length; at++) {
    const [was, is] = [margins[at], margins[at + 1]];
    if (!was || !is) continue;
    const seat = games[at].mover;
    const loss = (was.margin - is.margin) * (seat === 0 ? 1 : -1);
    // An estimate may rise with a move, which is not a cost.
    const lost = Math.max(0, loss);
    const exact = was.exact && is.exact;
    const known = was.result && (exact || lost >= LEAST_ESTIMATE);
    const mistake = known ? mistakeOf(games[at], games[at + 1], lost, { was: was.result, is: is.result }) : null;
    const better = mistake ? was.result.line[0] ?? null : null;
    costs.push({ at, seat, edge: games[at + 1].last, cost: lost / 2, exact, mistake, better });
  }
  return costs;
}
