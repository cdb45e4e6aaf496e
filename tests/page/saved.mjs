// Prints a finished game as the page saves it, for `doublecross replay`.
import { finished } from "./page.mjs";
import { site } from "./site.mjs";

const { Board } = await site("doublecross/rules.js");
const { writeGame } = await site("share/match-log.js");
const game = finished(new Board(3, 3), 5);
process.stdout.write(writeGame({ game, names: ["You", "Easy"], nonce: 7, seconds: [1.5, 0.25], longest: [0.5, 0.1] }));
