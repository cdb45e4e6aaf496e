// Makes the bots of a table move: asks them with growing budgets, waits between moves, and can end
// a search at once.
import { Stopped } from "../page/bots.js";
import { budgetsOf } from "./strengths.js";
import { texts } from "../texts.js";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class BotDriver {
  /** `onChange` is called after each move, and when a bot fails. */
  constructor(client, onChange) {
    this.client = client;
    this.onChange = onChange;
    this.job = null;
  }

  /** True while a bot searches, or is loaded for that. */
  get thinking() {
    return this.job?.bot != null && !this.job.chosen;
  }

  /** True while a bot is loaded. */
  get loading() {
    return this.thinking && this.client.loading;
  }

  /**
   * Continues, restarts or stops, as the state of the table requires. To be called after every
   * change of it.
   */
  drive(table) {
    const bot = table.botsTurn;
    const follow = table.follows && !table.atEnd;
    const wanted = bot || follow ? table.game : null;
    if (this.job && this.job.game === wanted && this.job.table === table) return;
    this.stop();
    if (wanted) this.run({ table, bot, game: wanted, best: null, hurried: false, chosen: false });
  }

  /** Stops the search, or the replay. */
  stop() {
    if (!this.job) return;
    this.job = null;
    this.client.stop();
  }

  /** Ends the bot's search. The bot plays the best move so far, or the network's first choice. */
  moveNow() {
    if (!this.thinking || this.job.hurried) return;
    this.job.hurried = true;
    this.client.stop();
  }

  /** Plays one move of a bot or of the replay. */
  async run(job) {
    this.job = job;
    const { table, game, bot } = job;
    const began = performance.now();
    try {
      const edge = bot ? await this.choose(job) : null;
      job.chosen = true;
      const thought = performance.now() - began;
      const least = game.captured.length ? table.cascade : table.pause;
      if (this.job === job) await wait(Math.max(0, least - thought));
      if (this.job !== job) return;
      this.job = null;
      if (bot) table.play(game.board.edge(edge), thought);
      else table.at += 1;
    } catch (error) {
      if (this.job !== job) return;
      this.job = null;
      table.held = true;
      table.fault = texts.play.cannotPlay(bot.name, error.message);
    }
    this.onChange();
  }

  /** Returns a promise of the bot's move. */
  async choose(job) {
    const { game, bot } = job;
    const question = { what: "play", game: game.text, bot: bot.bot, nonce: job.table.nonce };
    const module = this.client.bots.moduleOf(bot, game.board);
    try {
      for (const budget of budgetsOf(bot, game.board.boxes)) {
        const answer = await this.client.ask(game.board, { ...question, ...budget }, module);
        job.best = answer.edge;
        if (answer.settled) break;
      }
    } catch (error) {
      if (!(error instanceof Stopped) || this.job !== job || !job.hurried) throw error;
    }
    if (job.best) return job.best;
    const first = await this.client.ask(game.board, { ...question, simulations: 0, nodes: 0 }, module);
    return first.edge;
  }
}
