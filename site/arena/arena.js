// The arena: matches between bots, each of which plays in a worker, and the games that are over.
import { NotLoaded, Stopped } from "../page/bots.js";
import { nextTry } from "../page/connection.js";
import { writeGame } from "../share/match-log.js";
import { Player } from "./player.js";
import { playGame, randomOpening, roundRobin } from "./referee.js";

/** The games that are played at once, if there is a core for each, and one for the page. */
const MOST_AT_ONCE = 4;

/** Returns how many games are played at once. */
const atOnce = () => Math.max(1, Math.min(MOST_AT_ONCE, (navigator.hardwareConcurrency ?? 2) - 1));

export class Arena {
  /** `onChange` is called with each game that ends, and when a match begins or ends. */
  constructor(bots, onChange) {
    this.bots = bots;
    this.onChange = onChange;
    /** The games that are over, as `{board, names, moves, scores, faults, troubles, line}` with their line of a log. */
    this.games = [];
    /** The match that is played, or was played last, with its state `{done, total, isOver, fault}`; or null. */
    this.match = null;
  }

  get running() {
    return this.match !== null && !this.match.isOver;
  }

  /**
   * Plays a match: a round robin with so many `games` between each two bots, which have a `name` and a
   * `strength` or a `module`. Each two games begin with `opening` random edges. `limit` is the longest time
   * for a move, in milliseconds.
   */
  async start({ board, bots, games, opening, limit }) {
    const waiting = roundRobin(bots.length, games);
    const pairs = Array.from({ length: games / 2 }, () => (
      { nonce: Math.floor(Math.random() * 2 ** 31), opening: randomOpening(board, opening) }));
    const match = { board, bots, pairs, waiting, limit, players: [], done: 0, total: waiting.length, isOver: false, fault: null };
    this.match = match;
    this.onChange();
    try {
      match.bots = await Promise.all(bots.map((bot) => this.load(bot, board)));
      await Promise.all(Array.from({ length: atOnce() }, () => this.playOn(match)));
      if (!match.isOver) this.end(match);
    } catch (error) {
      if (!match.isOver) this.end(match, error.message);
    }
  }

  /** Returns a promise of a bot with its module. */
  async load(bot, board) {
    return { ...bot, module: bot.module ?? await this.bots.compile(this.bots.moduleOf(bot.strength, board)) };
  }

  /** Plays one game of a match after another. One whose workers cannot be loaded is played again. */
  async playOn(match) {
    const players = [new Player(match.limit), new Player(match.limit)];
    match.players.push(...players);
    while (match.waiting.length && !match.isOver) {
      const next = match.waiting.shift();
      try {
        const game = await play(match, next, players);
        this.bots.report(null);
        this.games.push(game);
        match.done += 1;
        this.onChange();
      } catch (error) {
        if (error instanceof Stopped) return;
        if (!(error instanceof NotLoaded)) throw error;
        match.waiting.unshift(next);
        this.bots.report(error.message);
        await nextTry();
      }
    }
  }

  /** Stops the match. Its games that are not over are lost. */
  stop() {
    this.end(this.match);
  }

  /** Ends a match. `fault` is the reason if it failed. */
  end(match, fault = null) {
    Object.assign(match, { isOver: true, fault });
    for (const player of match.players) player.stop();
    this.bots.report(null);
    this.onChange();
  }

  /** Deletes all games that are over. */
  clear() {
    this.games = [];
    if (!this.running) this.match = null;
    this.onChange();
  }
}

/** Returns a promise of a game of a match, as the arena keeps it. */
async function play({ board, bots, pairs }, { pair, seats }, players) {
  const { nonce, opening } = pairs[pair];
  const names = seats.map((bot) => bots[bot].name);
  players.forEach((player, seat) => player.begin(bots[seats[seat]]));
  const { game, faults, ...times } = await playGame(board, players, nonce, opening);
  const line = writeGame({ game, names, nonce, opening: opening.length, faults, ...times });
  const troubles = players.map(({ trouble }) => trouble);
  return { board: board.name, names, moves: game.moves, scores: game.scores, faults, troubles, line };
}
