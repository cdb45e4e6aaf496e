// Is only type-checked: `tsc --noEmit --strict --module nodenext`.
import { Board, boardSvg, Bot, BotWorker, Game, gameSvg, levels, pretrained, pretrainedWorker, type Action, type Analysis, type Move } from "doublecross";
import { Game as SameGame } from "doublecross/rules.js";
import { gameSvg as sameSvg } from "doublecross/svg.js";
import type { WorkerMessage, WorkerReply } from "doublecross/worker.js";

const board: Board = Board.parse("5x5");
let game = new Game(board);
const bot: Bot = await pretrained(board);
const move: Move = bot.play(game, { simulations: 100, nodes: 10_000, bot: "level:3", nonce: 4 });
game = game.play(move.edge).play(0);
const analysis: Analysis = bot.analyze("3x3 H0,0", { nodes: 1000 });
const costs: [string, number][] = analysis.edges.map(({ edge, expected }) => [edge, analysis.expected - (expected ?? 0)]);
const owner: 0 | 1 | null = game.owners[0];
const drawings: string[] = [boardSvg(game, { dark: true }), boardSvg("3x3"), gameSvg(Game.replay(board, [0, 1]), { names: ["Ann", "Bob"] })];
const { orient, r, c } = bot.act({ you: 0, to_move: 0, h: [[false]], v: [[false, false]], owner: [[-1]] });
const worker: BotWorker = await pretrainedWorker("3x3");
const later: Move = await worker.play("3x3", { bot: "chains" });
const action: Action = await worker.act("{}");
const unloaded: Promise<Bot> = Bot.load({ href: "https://example.org/bot.wasm" });
worker.end();
const same: Game = SameGame.parse(`${game}`);
const small: Bot = await levels();
const message: WorkerMessage = { id: 1, question: { what: "play" } };
const reply: WorkerReply = { id: 1, error: "no" };
// @ts-expect-error: a bot is loaded.
new Bot();
// @ts-expect-error: there is no eleventh level.
bot.play(game, { bot: "level:11" });
// @ts-expect-error: a state never changes.
game.mover = 1;
export { message, reply, same, sameSvg, small };
export { action, unloaded };
export { costs, drawings, later, owner, orient, r, c };
