// Checks of drawings of games as SVG, and of links that name the players.
import { readFileSync } from "node:fs";
import { finished } from "./page.mjs";
import { assert, Report } from "./report.mjs";
import { site } from "./site.mjs";

const { Board, Game } = await site("doublecross/rules.js");
const { boardSvg, END_S, gameSvg, MOVE_S, THEMES, WIDTHS } = await site("doublecross/svg.js");
const { fragmentOf, gamesOfFragment, gamesOfText, playersOfFragment, playersOfText } = await site("share/notation.js");
const { Table } = await site("play/table.js");

const report = new Report();
const NAMES = ["<script>alert(\"1\")</script>", "Ann & 'Bob' ]]> \u0000\ud800\u202e漢字"];

/** Returns the elements of an XML text as `[name, attributes, text]`. Throws an Error if it is not well-formed. */
function elementsOf(xml) {
  assert.ok(!/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml), "a character that XML does not allow");
  const isText = (text) => !/[<>]|&(?!(amp|lt|gt|quot|#39);)/.test(text);
  const elements = [];
  const open = [];
  let end = 0;
  for (const { 0: tag, 1: closes, 2: name, 3: rest, 4: isEmpty, index } of xml.matchAll(/<(\/?)([a-zA-Z]+)([^<>]*?)(\/?)>/g)) {
    const text = xml.slice(end, index);
    end = index + tag.length;
    if (open.length) open.at(-1)[2] += text;
    else assert.equal(text.trim(), "");
    assert.ok(isText(text), text);
    if (closes) {
      assert.equal(open.pop()?.[0], name);
      continue;
    }
    const pairs = [...rest.matchAll(/\s([\w:-]+)="([^"]*)"/g)];
    assert.equal(pairs.map(([pair]) => pair).join(""), rest, tag);
    assert.ok(pairs.every(([, , value]) => isText(value)), tag);
    assert.equal(new Set(pairs.map(([, key]) => key)).size, pairs.length, tag);
    const element = [name, Object.fromEntries(pairs.map(([, key, value]) => [key, value])), ""];
    assert.ok(open.length || !elements.length, "there is one root");
    elements.push(element);
    if (!isEmpty) open.push(element);
  }
  assert.deepEqual([open.length, xml.slice(end).trim()], [0, ""]);
  return elements;
}

/** Returns the number of elements with a name and these attributes. */
const countOf = (elements, name, wanted) => elements.filter(([found, attributes]) =>
  found === name && Object.entries(wanted).every(([key, value]) => attributes[key] === String(value))).length;

/** Returns the states of a game on a board. */
const statesOn = (board) => Game.replay(board, finished(board, 191).moves);

await report.check("drawings: well-formed, with every dot, line and box, on every board", () => {
  for (const board of Board.all()) {
    const states = statesOn(board);
    for (const at of [0, 1, Math.floor(board.edges / 2), board.edges - 2, board.edges]) {
      for (const dark of [false, true]) {
        const game = states[Math.max(0, at)];
        const elements = elementsOf(boardSvg(game, { names: NAMES, dark }));
        const { lines } = dark ? THEMES.dark : THEMES.light;
        assert.equal(countOf(elements, "circle", { r: 9 }), (board.rows + 1) * (board.cols + 1));
        assert.equal(countOf(elements, "path", { pathLength: 1 }), game.moves.length);
        assert.equal(countOf(elements, "path", { "stroke-width": WIDTHS.last }), Number(game.moves.length > 0));
        assert.equal(countOf(elements, "rect", { width: 100 }), game.scores[0] + game.scores[1]);
        assert.equal(countOf(elements, "circle", { r: 21, fill: lines[0] }), game.scores[0]);
        const texts = elements.filter(([name]) => name === "text").map(([, , text]) => text);
        assert.deepEqual([texts[0], texts[2]], game.scores.map(String));
        // Nothing comes from elsewhere, and nothing runs.
        assert.ok(!elements.some(([name]) => ["script", "style", "image", "use", "foreignObject"].includes(name)));
      }
    }
  }
});

await report.check("drawings: a line has the color of the seat that drew it, and its place", () => {
  const svg = boardSvg("1x2 H0,0 V0,0 H1,1 V0,1 H1,0");
  assert.match(svg, /<g stroke="#2f7de0"><path d="M36,36H136" pathLength="1"\/><path d="M136,136H236" pathLength="1"\/><path d="M36,136H/);
  assert.match(svg, /<g stroke="#e2660f"><path d="M36,36V136" pathLength="1"\/><path d="M136,36V136" pathLength="1"\/><\/g>/);
  assert.match(svg, /<g fill="#c3dcf7"><g><rect x="36" y="36" width="100" height="100"\/>/);
});

await report.check("drawings: names are escaped, and cut to the room that there is", () => {
  const svg = boardSvg("3x3", { names: NAMES });
  assert.ok(!svg.includes("<script") && svg.includes("&lt;script&gt;"));
  const long = elementsOf(boardSvg("1x1", { names: ["W".repeat(60), "漢".repeat(60)] })).filter(([name]) => name === "text");
  assert.deepEqual([long[1][2].at(-1), long[3][2].at(-1)], ["…", "…"]);
  assert.ok(long[1][2].length > long[3][2].length && long[3][2].length > 4);
  const short = elementsOf(boardSvg("5x5", { names: ["Strategist", "A name of 20 letters"] })).filter(([name]) => name === "text");
  assert.deepEqual([short[1][2], short[3][2]], ["Strategist", "A name of 20 letters"]);
});

await report.check("drawings: what is no game or no option is refused", () => {
  assert.throws(() => boardSvg("3x3", { values: {} }), /there is no option values: the options are names, dark/);
  for (const states of [[], Game.parse("3x3"), "3x3", ["3x3"]]) assert.throws(() => gameSvg(states), /expected a list of games/);
});

await report.check("drawings: colors and widths are those of the page", () => {
  const style = readFileSync(new URL("../../site/page/style.css", import.meta.url), "utf8");
  const board = readFileSync(new URL("../../site/board/board.css", import.meta.url), "utf8");
  const color = (name) => new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(style).slice(1);
  for (const [at, theme] of [THEMES.light, THEMES.dark].entries()) {
    for (const name of ["surface", "ink", "ghost"]) assert.equal(theme[name], color(name)[at], name);
    for (const [seat, name] of ["blue", "orange"].entries()) {
      const found = [theme.texts[seat], theme.fills[seat], theme.lines[seat]];
      assert.deepEqual(found, ["", "-fill", "-line"].map((end) => color(name + end)[at]), name);
    }
  }
  for (const [rule, width] of [[".edge .ghost", WIDTHS.ghost], [".edge .ink", WIDTHS.ink], [".edge.last .ink", WIDTHS.last]]) {
    assert.equal(Number(new RegExp(`^${rule.replaceAll(".", "\\.")} \\{[^}]*stroke-width: (\\d+)`, "m").exec(board)[1]), width, rule);
  }
});

await report.check("animations: every move has its time, and the end is the drawing of the last state", () => {
  for (const board of Board.all()) {
    const states = statesOn(board);
    const svg = gameSvg(states, { names: NAMES });
    const elements = elementsOf(svg);
    const style = elements.filter(([name]) => name === "style").map(([, , text]) => text);
    assert.equal(style.length, 1);
    assert.ok(style[0].startsWith("@media(prefers-reduced-motion:no-preference){"));
    assert.equal(style[0].split("{").length, style[0].split("}").length);
    const seconds = board.edges * MOVE_S + END_S;
    assert.ok(style[0].includes(`animation:${Number(seconds.toFixed(2))}s linear infinite`));
    for (let at = 1; at <= board.edges; at++) {
      const start = Number(new RegExp(`@keyframes m${at}\\{0%,([\\d.]+)%\\{visibility:hidden`).exec(style[0])[1]);
      assert.ok(Math.abs((start / 100) * seconds - at * MOVE_S) < 0.01, `move ${at} of ${board.name}`);
    }
    for (const [, { class: name }] of elements) if (name) assert.ok(style[0].includes(`.${name}{`), name);
    // Without its times, and what they hide at the end, it is the drawing of the last state.
    const still = svg.replace(/<style>.*<\/style>/, "").replace(/<text [^>]*visibility="hidden">\d+<\/text>/g, "");
    assert.equal(still.replace(/ class="\w+"/g, ""), boardSvg(states.at(-1), { names: NAMES }));
  }
});

await report.check("animations: one score of a seat is on show at any time", () => {
  const states = statesOn(new Board(3, 3));
  const style = gameSvg(states);
  const shown = elementsOf(style).filter(([name, { "text-anchor": anchor }]) => name === "text" && anchor === "end");
  const [blue, orange] = [0, 1].map((seat) => new Set(states.map(({ scores }) => scores[seat])));
  assert.equal(shown.length, blue.size + orange.size);
  assert.equal(shown.filter(([, { visibility }]) => visibility !== "hidden").length, 2);
});

await report.check("animations: one of a 5x5 game has less than 40 KB, and some moves can be played alone", () => {
  const states = statesOn(new Board(5, 5));
  assert.ok(gameSvg(states).length < 40_000, `${gameSvg(states).length} bytes`);
  const part = gameSvg(states.slice(50));
  assert.equal(part.match(/@keyframes m\d+/g).length, 10);
  assert.equal(gameSvg(states.slice(0, 1)), boardSvg("5x5"));
});

await report.check("links: games are opened with the players that they name", () => {
  const players = [
    ["level:3", "person"], ["person", "master"], ["net:mine,nodes=0", "chains"], ["Ann", "Bob (not me!)"], ["Zoë & Ünal", "a=b?c#d%20"],
    ["漢字", "👩‍👩‍👧 Smith"], ["<b>me</b>", "\"'`"], ["100%", "Dr. No."], ["person", "person"],
  ];
  for (const board of Board.all()) {
    const game = statesOn(board)[Math.floor(board.edges / 3)];
    for (const pair of players) {
      const fragment = fragmentOf(game, pair);
      assert.deepEqual([gamesOfFragment(fragment).at(-1).text, playersOfFragment(fragment)], [game.text, pair]);
      assert.equal(new URL(fragment, "https://example.org/").hash, fragment);
      // Programs that find links in texts leave punctuation at their end out.
      assert.match(fragment, /^#[\w/?:&=%-]*\w$/);
      assert.deepEqual(playersOfText(`Look: https://example.org/page/${fragment} `), pair);
    }
  }
  assert.equal(fragmentOf(new Game("5x5").play(0).play(15), ["level:3", "person"]), "#5x5/000f?blue=level:3&orange=person");
});

await report.check("links: without players they open as they always did", () => {
  for (const fragment of ["#5x5/000f", "#5x5/", "#5x5", "#3x3/00?"]) {
    assert.equal(playersOfFragment(fragment), null);
    assert.ok(gamesOfFragment(fragment).length <= 3);
  }
  assert.equal(playersOfText("2x2 H0,0"), null);
  assert.equal(fragmentOf(new Game("5x5").play(0)), "#5x5/00");
  assert.equal(gamesOfText("https://example.org/#5x5/000f?blue=a").length, 3);
  // Whoever is not named is a person, and other programs may write a name in their way.
  assert.deepEqual(playersOfFragment("#5x5/00?orange=level%3A3"), ["person", "level:3"]);
});

await report.check("links: nonsense is refused with the reason", () => {
  const refused = {
    "#5x5/00?blue": /"blue" names no player: write blue=NAME or orange=NAME/, "#5x5/00?green=me": /"green=me" names no player/,
    "#5x5/00?blue=a&blue=b": /names blue twice/, "#5x5/00?blue=": /names no player/, "#5x5/00?blue=%20": /name is empty/,
    "#5x5/00?blue=%": /is not a name: a part of it is missing/, "#5x5/00?blue=%ff": /is not a name/, "#5x5?__proto__=1": /names no player/,
    [`#5x5/?blue=${"a".repeat(61)}`]: /longer than 60 characters: "a{40}…"/,
  };
  for (const [fragment, reason] of Object.entries(refused)) assert.throws(() => playersOfFragment(fragment), reason, fragment);
  assert.equal(playersOfFragment(`#5x5/?blue=${encodeURIComponent("👩".repeat(60))}`)[0], "👩".repeat(60));
  // Names from logs are made fit to be sent.
  const fragment = fragmentOf(new Game("2x2"), ["\u202eevil\u0000 \n one\ud800", ` ${"b".repeat(70)}`]);
  assert.deepEqual(playersOfFragment(fragment), ["evil one", "b".repeat(60)]);
  assert.deepEqual(playersOfFragment(fragmentOf(new Game("2x2"), ["", " "])), ["unknown", "unknown"]);
});

await report.check("table: whoever is only named leaves the seat when the game is played on", () => {
  const seatsAfter = (ids) => {
    const table = new Table(new Board(2, 2), ids);
    table.replaceNamed(["level:1", "person"]);
    return [table.hasNamed, ...table.seats.map(({ id }) => id)];
  };
  assert.deepEqual(seatsAfter(["Ann", "level:3"]), [false, "person", "level:3"]);
  assert.deepEqual(seatsAfter(["person", "Ann"]), [false, "person", "person"]);
  assert.deepEqual(seatsAfter(["Ann", "Bob"]), [false, "level:1", "person"]);
  assert.deepEqual(seatsAfter(["chains", "greedy"]), [false, "chains", "greedy"]);
  const table = new Table(new Board(2, 2), ["person", "Ann"]);
  assert.ok(table.hasNamed && table.personsTurn);
  table.viewed = true;
  assert.ok(!table.personsTurn);
  table.playOn();
  assert.ok(table.personsTurn);
});

report.end();
