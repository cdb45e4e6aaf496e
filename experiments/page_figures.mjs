// How long the page's bots think, in the browser and as the program, at each strength.
// node experiments/page_figures.mjs URL PROGRAM: URL as `doublecross serve` says, PROGRAM the built doublecross.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Chromium } from "../tests/page/chromium.mjs";
import { newGame, ready } from "../tests/page/page.mjs";
import { site } from "../tests/page/site.mjs";

const [url, program] = process.argv.slice(2);
const { Board, Game } = await site("doublecross/rules.js");
const { observationOf } = await site("arena/referee.js");
const { LEVELS, OTHER_BOTS } = await site("play/strengths.js");

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Positions of 5x5 with 0, 3, ... 33 edges drawn at random, none of which gives a box away while there are others. */
function positions() {
  const board = new Board(5, 5);
  let state = 7;
  const random = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  return Array.from({ length: 12 }, (_, at) => {
    let game = Game.replay(board, []).at(-1);
    while (game.moves.length < 3 * at) {
      const left = (box, drawn) => board.edgesOf(box).filter((edge) => !drawn.has(edge)).length;
      const drawn = new Set(game.moves);
      const safe = game.undrawn().filter((edge) => board.boxesOf(edge).every((box) => left(box, drawn) > 2));
      const choices = safe.length ? safe : game.undrawn();
      game = game.play(choices[random(choices.length)]);
    }
    return game;
  });
}

async function native(name, games) {
  const child = spawn(program, ["bot", name], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const times = [];
  for (const game of games) {
    const start = performance.now();
    child.stdin.write(`${JSON.stringify(observationOf(game, 1))}\n`);
    await lines.next();
    times.push(performance.now() - start);
  }
  child.stdin.end();
  return times;
}

const games = positions();
const browser = await Chromium.start();
try {
  const start = performance.now();
  await browser.goto(url);
  await ready(browser);
  console.log(`page ready after ${(performance.now() - start).toFixed(0)} ms`);
  await newGame(browser, url, { opponent: "master", seat: 1, size: "5x5" });
  await browser.until("document.documentElement.dataset.game.split(' ').length > 1");
  const first = await browser.evaluate("performance.now()");
  console.log(`first move of Master ${first.toFixed(0)} ms after the page was asked for, the checks' clicks included`);
  console.log("| bot | simulations | solver nodes | browser: median, most | program: median, most |\n|---|---|---|---|---|");
  await browser.evaluate(`(async () => {
    const list = await (await fetch("bots.json")).json();
    const address = list.bots.find((entry) => entry.board === "5x5").module;
    const module = await WebAssembly.compile(await (await fetch(address)).arrayBuffer());
    const worker = new Worker("doublecross/worker.js", { type: "module" });
    worker.postMessage({ module });
    window.timeOf = (question) => new Promise((resolve) => {
      const start = performance.now();
      worker.onmessage = () => resolve(performance.now() - start);
      worker.postMessage({ id: 0, question });
    });
  })()`);
  for (const { name, bot, simulations = 0, nodes = 0 } of [...LEVELS, ...OTHER_BOTS]) {
    const times = [];
    for (const game of [games[0], ...games]) {
      const question = { what: "play", game: game.text, bot, simulations, nodes, nonce: 1 };
      times.push(await browser.evaluate(`timeOf(${JSON.stringify(question)})`));
    }
    times.shift(); // The first one loads.
    const spec = bot === "net" ? `net,sims=${simulations},nodes=${nodes}` : bot;
    const own = (await native(spec, [games[0], ...games])).slice(1);
    const told = (all) => `${median(all).toFixed(1)}, ${Math.max(...all).toFixed(1)}`;
    console.log(`| ${name} | ${simulations} | ${nodes} | ${told(times)} | ${told(own)} |`);
  }
} finally {
  await browser.stop();
}
