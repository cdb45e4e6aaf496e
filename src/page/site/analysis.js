// Looks at one position ever more deeply until it is settled, the budgets are used up or somebody stops it, and
// remembers what it saw. Also goes through a whole game for what each move cost.
import { Stopped } from "./bots.js";
import { gameText } from "./notation.js";
import { LOOKS, REVIEW } from "./strengths.js";

const REMEMBERED = 200;

/** Whether every value of a look is exact, so that more thinking would change nothing. */
export function settled(look) {
  return look.lower === look.upper && look.edges.every((edge) => edge.lower === edge.upper);
}

export class Analysis {
  constructor(asker, changed) {
    this.asker = asker;
    this.changed = changed;
    this.seen = new Map();
    this.text = null;
    this.running = false;
    this.fault = null;
  }

  /** What is known of the position looked at: `{look, depth}` with how many of the budgets were spent, or null. */
  get current() {
    return this.seen.get(this.text) ?? null;
  }

  get finished() {
    const seen = this.current;
    return seen !== null && (seen.depth === LOOKS.length || settled(seen.look));
  }

  /** Looks at a game's position, unless that is what is being done. */
  async look(game) {
    const text = gameText(game);
    if (text === this.text) return;
    this.stop();
    this.text = text;
    if (game.over) return;
    await this.deepen(game);
  }

  async deepen(game) {
    const text = this.text;
    this.fault = null;
    this.running = true;
    try {
      while (!this.finished) {
        const depth = this.current?.depth ?? 0;
        const look = await this.asker.ask(game.board, { what: "look", game: text, ...LOOKS[depth] });
        this.remember(text, { look, depth: depth + 1 });
        this.changed();
      }
    } catch (error) {
      if (error instanceof Stopped || this.text !== text) return;
      this.fault = error.message;
    }
    this.running = false;
    this.changed();
  }

  /** Stops thinking; what was seen stays. */
  stop() {
    if (this.running) this.asker.stop();
    this.running = false;
  }

  /** Stops, and forgets which position was looked at. */
  close() {
    this.stop();
    this.text = null;
  }

  remember(text, seen) {
    this.seen.delete(text);
    this.seen.set(text, seen);
    if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value);
  }
}

/**
 * Blue's final margin at every state of a game, as `{margin, exact}`, the last state first: what is settled near the
 * end settles more of what comes before it. `told` hears of each place as it is known.
 */
export async function marginsOf(asker, games, told) {
  const margins = new Array(games.length).fill(null);
  for (let at = games.length - 1; at >= 0; at--) {
    margins[at] = await marginOf(asker, games[at]);
    told(margins, at);
  }
  return margins;
}

async function marginOf(asker, game) {
  if (game.over) return { margin: game.margin(0), exact: true };
  const look = await asker.ask(game.board, { what: "look", game: gameText(game), ...REVIEW });
  const exact = look.lower === look.upper;
  const lead = exact ? look.lower : look.expected;
  return { margin: game.mover === 0 ? lead : -lead, exact };
}

/** What each move cost its mover in boxes: `{at, seat, edge, cost, exact}`, as far as the margins are known. */
export function costsOf(games, margins) {
  const costs = [];
  for (let at = 0; at + 1 < games.length; at++) {
    const [before, after] = [margins[at], margins[at + 1]];
    if (!before || !after) continue;
    const seat = games[at].mover;
    const loss = (before.margin - after.margin) * (seat === 0 ? 1 : -1);
    // An estimate may rise by a move; only what was surely or probably given away is a cost.
    costs.push({ at, seat, edge: games[at + 1].last, cost: Math.max(0, loss), exact: before.exact && after.exact });
  }
  return costs;
}
