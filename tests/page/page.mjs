// Helpers of the checks: the state that the page shows, and ways to reach a position.
import { site } from "./site.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { fragmentOf } = await site("share/notation.js");

/** Returns the state that the page reports, replayed by the rules. */
export async function shown(browser) {
  const [name, ...moves] = (await browser.evaluate("document.documentElement.dataset.game")).split(" ");
  const board = Board.parse(name);
  return Game.replay(board, moves.map((move) => board.edge(move))).at(-1);
}

export const clickEdge = (browser, name) => browser.click(`[data-edge="${name}"]`);

export const text = (browser, id) => browser.evaluate(`document.getElementById("${id}").textContent`);

/** Evaluates an expression over `item` for each element that a selector finds. */
export function each(browser, selector, expression) {
  return browser.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((item) => (${expression}))`);
}

export const ready = (browser) => browser.until("document.documentElement.dataset.ready === 'true'");

/** Opens a tab, and waits until its panel is loaded. */
export async function openTab(browser, name) {
  await browser.click(`#tab-${name}`);
  await browser.until(`document.documentElement.dataset.tab === ${JSON.stringify(name)}`);
}

/** Loads the page. */
export async function open(browser, address) {
  await browser.goto(address);
  await ready(browser);
}

/** Loads the page as for somebody who has not played yet: nobody moves, and no bot is loaded. */
export async function openFirst(browser, address) {
  await open(browser, address);
  await browser.evaluate("localStorage.removeItem('doublecross.settings')");
  await open(browser, address);
}

export const openGame = (browser, url, game, players) => open(browser, `${url}${fragmentOf(game, players)}`);

/** Chooses a setting of the next game: "opponent", "seat" or "size". */
export async function choose(browser, name, value) {
  await browser.evaluate(`(() => {
    if (document.getElementById("setup").hidden) document.getElementById("setup-open").click();
    const radio = (value) => document.querySelector(\`#${name} input[value="\${value}"]\`);
    const given = ${JSON.stringify(value)};
    (radio(given) ?? radio("other")).click();
    if (radio(given)) return;
    const other = document.getElementById("other-size");
    other.value = given;
    other.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
}

/** The value that is chosen of a setting. */
export const chosen = (browser, name) => browser.evaluate(`(() => {
  const { value } = document.querySelector("#${name} input:checked");
  return value === "other" ? document.getElementById("other-size").value : value;
})()`);

/** Pastes a text. Firefox takes no data for a ClipboardEvent from a script. */
export const paste = (browser, data) => browser.evaluate(`(() => {
  const clipboardData = { getData: () => ${JSON.stringify(data)} };
  document.body.dispatchEvent(Object.assign(new Event("paste", { bubbles: true }), { clipboardData }));
})()`);

/** Loads the page, and starts a game. */
export async function newGame(browser, url, { opponent, seat = 0, size = "3x3" }) {
  await open(browser, url);
  await choose(browser, "opponent", opponent);
  await choose(browser, "seat", String(seat));
  await choose(browser, "size", size);
  await browser.click("#new-game");
  await browser.until(`document.documentElement.dataset.game.startsWith("${size}")`);
}

export function played(board, names) {
  return Game.replay(board, names.map((name) => board.edge(name))).at(-1);
}

/** Returns a finished game: every `stride`th edge, a number coprime to the number of edges. */
export function finished(board, stride) {
  const edges = Array.from({ length: board.edges }, (_, at) => (at * stride) % board.edges);
  return Game.replay(board, edges).at(-1);
}

/** Returns a game in which all edges but these are drawn. */
export function allBut(board, names) {
  const open = new Set(names.map((name) => board.edge(name)));
  return Game.replay(board, [...Array(board.edges).keys()].filter((edge) => !open.has(edge))).at(-1);
}
