// Makes a table's bots move: asks them with growing budgets, keeps their pace, and can be told to move at once.
import { Stopped } from "./bots.js";
import { gameText, edgeOf } from "./notation.js";
import { budgetsOf } from "./strengths.js";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Driver {
  /** `changed` is called after each move, and when a bot fails. */
  constructor(asker, changed) {
    this.asker = asker;
    this.changed = changed;
    this.job = null;
  }

  get thinking() {
    return this.job?.bot != null && !this.job.chosen;
  }

  /** To be called after every change of the table: goes on, begins anew or stops, as the table now needs. */
  drive(table) {
    const bot = table.botsTurn;
    const follow = table.follows && !table.atEnd;
    const wanted = bot || follow ? table.game : null;
    if (this.job && this.job.game === wanted && this.job.table === table) return;
    this.stop();
    if (wanted) this.run({ table, bot, game: wanted, best: null, hurried: false, chosen: false });
  }

  stop() {
    if (!this.job) return;
    this.job = null;
    this.asker.stop();
  }

  /** Ends the bot's thinking: it plays the best that it has, or the network's first thought. */
  moveNow() {
    if (!this.thinking || this.job.hurried) return;
    this.job.hurried = true;
    this.asker.stop();
  }

  async run(job) {
    this.job = job;
    const { table, game, bot } = job;
    const began = performance.now();
    try {
      const edge = bot ? await this.choose(job) : null;
      job.chosen = true;
      const thought = performance.now() - began;
      if (this.job === job) await wait(Math.max(0, table.pause - thought));
      if (this.job !== job) return;
      this.job = null;
      if (bot) table.play(edgeOf(game.board, edge), thought);
      else table.at += 1;
    } catch (error) {
      if (this.job !== job) return;
      this.job = null;
      table.held = true;
      table.fault = `${bot.name} cannot play: ${error.message}.`;
    }
    this.changed();
  }

  async choose(job) {
    const { game, bot } = job;
    const question = { what: "play", game: gameText(game), bot: bot.bot, nonce: job.table.nonce };
    try {
      for (const budget of budgetsOf(bot)) {
        const answer = await this.asker.ask(game.board, { ...question, ...budget });
        job.best = answer.edge;
        if (answer.settled) break;
      }
    } catch (error) {
      if (!(error instanceof Stopped) || this.job !== job || !job.hurried) throw error;
    }
    if (job.best) return job.best;
    const first = await this.asker.ask(game.board, { ...question, simulations: 0, nodes: 0 });
    return first.edge;
  }
}
