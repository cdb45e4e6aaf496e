// Checks of the feel of a game: previews, touch, endings, rematches, the list of moves, sound, and a
// layout that stays as it is and uses the window.
import { sleep } from "./browser.mjs";
import { choose, clickEdge, each, newGame, open, openGame, openTab, paste, played, shown, text } from "./page.mjs";
import { assert } from "./report.mjs";
import { site } from "./site.mjs";

const { Board, Game } = await site("doublecross/rules.js");

/** A 2x2 game with one box on offer, closed by V0,1, and Blue to move. */
const OFFER = ["H0,0", "H2,1", "V0,0", "V1,2", "H1,0", "H0,1"];

/** Opens a game in which all moves but the last one have been played, and plays that one. */
async function finish(browser, url, game) {
  const names = game.moves.map((edge) => game.board.nameOf(edge));
  await openGame(browser, url, played(game.board, names.slice(0, -1)));
  await choose(browser, "opponent", "person");
  await browser.click("#tab-play");
  await browser.evaluate(`document.getElementById("play-on").click()`);
  await clickEdge(browser, names.at(-1));
}

const whole = (board, stride) =>
  Game.replay(board, Array.from({ length: board.edges }, (_, at) => (at * stride) % board.edges)).at(-1);

const place = (selector) => `JSON.stringify(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`;

export const feelChecks = {
  "a line and the box that it closes are previewed": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    for (const name of OFFER) await clickEdge(browser, name);
    await browser.hover('[data-edge="V0,1"]');
    assert.deepEqual(await each(browser, ".edge.pointed", "item.dataset.edge"), ["V0,1"]);
    assert.deepEqual(await each(browser, ".box.closing", "item.dataset.box"), ["0"]);
    await browser.hover("#status");
    assert.deepEqual(await each(browser, ".edge.pointed", "item.dataset.edge"), []);
    await clickEdge(browser, "V0,1");
    assert.deepEqual(await each(browser, ".box[data-owner]", "[item.dataset.box, item.dataset.owner]"), [["0", "0"]]);
    const colors = await each(browser, ".edge.drawn .ink", "getComputedStyle(item).stroke");
    assert.equal(new Set(colors).size, 2, "lines have their players' colors");
  },

  "a finger slides to the line that it means": async (browser, { url }) => {
    await browser.setViewport(360, 740, true);
    await newGame(browser, url, { opponent: "person", size: "4x4" });
    await clickEdge(browser, "H0,0");
    const [from, to] = await browser.middlesOf('[data-edge="H1,1"]', '[data-edge="V2,2"]');
    await browser.press(from);
    assert.deepEqual(await each(browser, ".edge.pointed", "item.dataset.edge"), ["H1,1"]);
    assert.equal((await shown(browser)).moves.length, 1, "nothing is drawn before the finger is lifted");
    await browser.slide(to);
    await browser.lift();
    await browser.until("document.documentElement.dataset.game === '4x4 H0,0 V2,2'");
    // A touch between a drawn line and an undrawn one draws the undrawn one, far from both nothing.
    const box = await browser.evaluate(`(({ x, y, width, height }) => ({ x, y, width, height }))(
      document.querySelector('[data-box="0"]').getBoundingClientRect())`);
    await browser.touch({ x: box.x + box.width * 0.5, y: box.y + box.height * 0.45 });
    await browser.until("document.documentElement.dataset.game.split(' ').length === 4");
    assert.notEqual((await shown(browser)).last, 0);
    const before = (await shown(browser)).moves.length;
    await browser.touch(await browser.middleOf('[data-edge="H0,0"]'));
    await sleep(100);
    assert.equal((await shown(browser)).moves.length, before, "a drawn line draws nothing");
    await browser.setViewport(1280, 900);
  },

  "a finger that rests on a line reads its cost, and draws nothing": async (browser, { url }) => {
    await browser.setViewport(360, 740, true);
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    for (const name of OFFER.slice(0, 2)) await clickEdge(browser, name);
    await browser.click("#analyze");
    await browser.until("document.getElementById('analysis').dataset.state === 'finished'");
    const line = await browser.middleOf('[data-edge="V0,0"]');
    await browser.press(line);
    await sleep(600);
    await browser.lift();
    await sleep(100);
    assert.equal((await shown(browser)).moves.length, 2);
    assert.match(await text(browser, "analysis-detail"), /V0,0/);
    await browser.touch(line);
    await browser.until("document.documentElement.dataset.game === '2x2 H0,0 H2,1 V0,0'");
    await browser.click("#analyze");
    await browser.setViewport(1280, 900);
  },

  "a game that is under way is there at the next visit, whatever tab is opened": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:3", size: "3x3" });
    await clickEdge(browser, "H0,0");
    await browser.until("document.documentElement.dataset.game.split(' ').length > 2 && document.querySelector('#board.open')");
    await browser.click("#hint");
    await browser.until("document.querySelector('.edge.hint') !== null");
    const { text: game } = await shown(browser);
    for (const address of [url, `${url}#scores`]) {
      await open(browser, address);
      await browser.click("#tab-play");
      await browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game)}`);
      assert.equal(await text(browser, "name-1"), "Careful");
      assert.deepEqual(JSON.parse(await browser.evaluate("localStorage.getItem('doublecross.game')")).helps, ["hint"]);
    }
    // A finished game that is looked at does not take its place.
    await openGame(browser, url, whole(new Board(2, 2), 5), ["person", "level:3"]);
    await browser.until("document.querySelectorAll('.edge:not(.drawn)').length === 0");
    await open(browser, url);
    await browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game)}`);
    // Another game does, and leaves none when it ends.
    await newGame(browser, url, { opponent: "level:1", size: "1x1" });
    for (let now = await shown(browser); !now.over; now = await shown(browser)) {
      await clickEdge(browser, now.board.nameOf(now.undrawn()[0]));
      await browser.until("document.querySelector('#board.open') || document.querySelectorAll('.edge.drawn').length === 4");
    }
    await open(browser, url);
    assert.equal((await shown(browser)).moves.length, 0);
  },

  "a stroke from dot to dot draws the line between them": async (browser, { url }) => {
    const pointed = () => each(browser, ".edge.pointed", "item.dataset.edge");
    const is = (game) => browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game)}`);
    /** Returns the place of a dot, and of a point aside of it in hundredths of a box. */
    const dot = (row, col, aside = [0, 0]) => browser.evaluate(`(() => {
      const matrix = document.getElementById("board").getScreenCTM();
      const { x, y } = new DOMPoint(${36 + 100 * col + aside[0]}, ${36 + 100 * row + aside[1]}).matrixTransform(matrix);
      return { x, y };
    })()`);
    const middle = ([one, other]) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
    const strokes = [
      // [from, to, the line, whether it is drawn]: both ways, and past the dot, and over a drawn line.
      [[1, 1], [1, 2], "H1,1"], [[2, 2], [1, 2], "V1,2"], [[3, 0, [20, -10]], [3, 1, [30, 15]], "H3,0"],
      [[1, 2], [1, 1], null], [[0, 0], [1, 0, [-15, 20]], "V0,0"],
    ];
    for (const isPhone of [false, true]) {
      await browser.setViewport(...(isPhone ? [360, 740, true] : [1280, 900]));
      await newGame(browser, url, { opponent: "person", size: "3x3" });
      await browser.evaluate("document.getElementById('board').scrollIntoView({ block: 'center', behavior: 'instant' })");
      let game = "3x3";
      for (const [from, to, name] of strokes) {
        const ends = [await dot(...from), await dot(...to)];
        const seen = async () => assert.deepEqual(await pointed(), name ? [name] : [], `${name} before it is drawn`);
        if (isPhone) {
          await browser.press(ends[0]);
          for (const at of [middle(ends), ends[1]]) await browser.slide(at);
          await seen();
          await browser.lift();
        } else {
          await browser.drag(ends[0], [middle(ends), ends[1]], seen);
        }
        if (name) game += ` ${name}`;
        await is(game);
      }
      // A pointer that comes to a dot along a line means that line.
      const [from, to] = [await dot(2, 1, [35, 45]), await dot(3, 1, [35, 0])];
      assert.ok(from.y < to.y);
      const along = [await dot(2, 1, [0, 45]), await dot(3, 1)];
      if (isPhone) await browser.touch(along[0], along[1]);
      else await browser.drag(along[0], [along[1]]);
      await is(`${game} V2,1`);
    }
    await browser.setViewport(1280, 900);
  },

  "an ending with review and rematch": async (browser, { url, shoot }) => {
    const game = whole(new Board(3, 3), 7);
    await finish(browser, url, game);
    await browser.until("!document.getElementById('ending').hidden");
    await sleep(400);
    await shoot("ending");
    const [blue, orange] = game.scores;
    assert.equal(await text(browser, "ending-score"), `${blue} – ${orange}`);
    const title = await text(browser, "ending-title");
    assert.match(title, /^(You win|\w+ wins)$/);
    assert.equal(await text(browser, "status"), `${title} ${Math.max(blue, orange)} to ${Math.min(blue, orange)}.`);
    assert.match(await text(browser, "ending-note"), /longest run/i);
    await browser.click("#ending-close");
    assert.ok(await browser.evaluate("document.getElementById('ending').hidden"));
    // It does not come back while the game is stepped through.
    await browser.click("#back");
    await browser.click("#forward");
    await sleep(1200);
    assert.ok(await browser.evaluate("document.getElementById('ending').hidden"));

    await finish(browser, url, game);
    await browser.until("!document.getElementById('ending').hidden");
    await browser.click("#ending-review");
    await browser.until(`document.querySelectorAll("#review-moves .exact, #review-moves .expected").length === 24`, 30_000);

    await newGame(browser, url, { opponent: "level:1", size: "1x1" });
    for (let moves = 0; moves < 4; moves++) {
      await browser.until("document.documentElement.dataset.thinking === 'false' && document.querySelector('#board.open')"
        + " || document.querySelectorAll('.edge.drawn').length === 4");
      const now = await shown(browser);
      if (now.over) break;
      await clickEdge(browser, now.board.nameOf(now.undrawn()[0]));
    }
    await browser.until("!document.getElementById('ending').hidden");
    assert.match(await text(browser, "ending-title"), /^(You win|First-timer wins)$/);
    assert.equal(await text(browser, "status"), `${await text(browser, "ending-title")} 1 to 0.`);
    await browser.click("#rematch");
    await browser.until("document.querySelector('#seat :checked').value === '1'");
    assert.equal(await text(browser, "name-1"), "You");
    assert.equal(await text(browser, "name-0"), "First-timer");
  },

  "the moves are listed as they are made": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    for (const name of [...OFFER, "V0,1"]) await clickEdge(browser, name);
    const rows = () => each(browser, "#review-moves li", "item.textContent");
    assert.deepEqual(await rows(), [...OFFER.map((name, at) => `${at + 1}.${name}`), "7.V0,1+1"]);
    await browser.click('#review-moves [data-at="2"]');
    assert.equal((await shown(browser)).moves.length, 2);
    assert.equal((await rows()).length, 7);
    await browser.click("#play-on");
    assert.equal((await rows()).length, 2);
    // The list's buttons light their lines on the board.
    await browser.hover('#review-moves [data-at="1"]');
    assert.deepEqual(await each(browser, ".edge.lit", "item.dataset.edge"), ["H0,0"]);
  },

  "stepping through a game moves nothing": async (browser, { url }) => {
    for (const [width, height] of [[1280, 900], [360, 740]]) {
      await browser.setViewport(width, height, width < 500);
      await openGame(browser, url, whole(new Board(3, 3), 7));
      const parts = ["#board", "#toolbar", "#browse", "#review-moves", "#analyze", "#play-on"];
      const places = () => browser.evaluate(`scrollTo(0, 0), [${parts.map(place)}].join()`);
      const first = await places();
      for (const id of ["back", "back", "first", "forward", "last", "back"]) {
        await browser.evaluate(`document.getElementById("${id}").click()`);
        assert.equal(await places(), first, id);
      }
    }
    await browser.setViewport(1280, 900);
  },

  "coordinates are shown with analysis, hint and review": async (browser, { url }) => {
    const named = "getComputedStyle(document.querySelector('.coordinates')).visibility === 'visible'";
    await newGame(browser, url, { opponent: "level:1", size: "3x3" });
    assert.ok(!(await browser.evaluate(named)));
    await browser.click("#hint");
    await browser.until(named);
    await open(browser, url);
    await browser.key("a");
    assert.ok(await browser.evaluate(named));
    await browser.key("a");
    assert.ok(!(await browser.evaluate(named)));
    await openGame(browser, url, whole(new Board(2, 2), 5));
    await browser.click("#review-run");
    await browser.until(named);
  },

  "sound is off until it is turned on": async (browser, { url }) => {
    await open(browser, url);
    await browser.evaluate(`window.voices = 0;
      const { start } = AudioScheduledSourceNode.prototype;
      AudioScheduledSourceNode.prototype.start = function (...at) { voices++; return start.apply(this, at); };`);
    await choose(browser, "opponent", "person");
    await choose(browser, "size", "2x2");
    await browser.click("#new-game");
    await clickEdge(browser, "H0,0");
    assert.equal(await browser.evaluate("voices"), 0);
    await browser.click("#sound");
    const before = await browser.evaluate("voices");
    for (const name of OFFER.slice(1)) await clickEdge(browser, name);
    assert.equal(await browser.evaluate("voices"), before + OFFER.length - 1);
    await clickEdge(browser, "V0,1");
    assert.ok(await browser.evaluate("voices") > before + OFFER.length - 1);
    await open(browser, url);
    assert.equal(await browser.evaluate("document.getElementById('sound').title"), "Sound: on");
    await browser.click("#sound");
    await open(browser, url);
    assert.equal(await browser.evaluate("document.getElementById('sound').title"), "Sound: off");
  },

  "every board and window is used": async (browser, { url, shoot }) => {
    const size = "(({ width, height }) => [width, height])(document.getElementById('board').getBoundingClientRect())";
    for (const [board, width, height, least] of [
      ["5x5", 1280, 900, 560], ["5x5", 2560, 1440, 1000], ["5x5", 740, 360, 260], ["5x5", 360, 740, 320],
      ["9x1", 1280, 900, 700], ["9x1", 360, 740, 500], ["1x9", 1280, 900, 700], ["1x9", 360, 740, 320],
      ["9x9", 1280, 900, 560], ["9x9", 360, 740, 320],
    ]) {
      await browser.setViewport(width, height, width < 800);
      await openGame(browser, url, played(new Board(Number(board[0]), Number(board[2])), ["H0,0", "V0,0"]));
      const [across, down] = await browser.evaluate(size);
      const name = `${board} in ${width} x ${height}`;
      assert.ok(Math.max(across, down) >= least, `${name}: the board has ${across} x ${down} pixels`);
      assert.ok(down <= height, `${name}: the board is ${down} high`);
      assert.ok(await browser.evaluate("document.scrollingElement.scrollWidth") <= width, `${name}: it is too wide`);
      const bottom = await browser.evaluate("document.getElementById('board').getBoundingClientRect().bottom");
      assert.ok(bottom <= height, `${name}: the board ends at ${bottom}`);
      await shoot(`${board}-${width}`);
    }
    await browser.setViewport(1280, 900);
  },

  "an ending can be used on every board, and is there again after another tab": async (browser, { url }) => {
    for (const [board, width, height] of [["1x9", 360, 740], ["9x1", 360, 740], ["1x9", 1280, 900], ["9x1", 1280, 900]]) {
      await browser.setViewport(width, height, width < 800);
      const game = whole(new Board(Number(board[0]), Number(board[2])), 3);
      await finish(browser, url, game);
      await browser.until("!document.getElementById('ending').hidden");
      await sleep(400);
      const usable = await each(browser, "#ending button", `(() => {
        const { left, top, width, height } = item.getBoundingClientRect();
        return [0.1, 0.5, 0.9].every((x) => document.elementFromPoint(left + x * width, top + height / 2) === item);
      })()`);
      assert.deepEqual(usable, [true, true, true], `${board} in ${width} x ${height}`);
    }
    await browser.setViewport(1280, 900);
    await openTab(browser, "learn");
    await openTab(browser, "play");
    await browser.until("!document.getElementById('ending').hidden");
  },

  "a game that is looked back at goes on only if a person says so": async (browser, { url }) => {
    const game = whole(new Board(3, 3), 7);
    await openGame(browser, url, game);
    await browser.click("#review-run");
    await browser.until("document.getElementById('review-run').textContent === 'Review this game'", 30_000);
    // It leads to the costliest move, says what was wrong with it, and shows what was better.
    const at = (await shown(browser)).moves.length;
    assert.ok(at < game.moves.length);
    assert.match(await text(browser, "status"), /^(Blue|Orange): .*\. Better was [HV]\d,\d\.$/);
    assert.equal(await browser.evaluate("document.querySelectorAll('.edge.better').length"), 1);
    await browser.evaluate("document.querySelector('.edge:not(.drawn)').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    assert.equal((await shown(browser)).moves.length, at);
    assert.equal((await each(browser, "#review-moves li", "1")).length, game.moves.length);
    // The review is there again after another tab.
    await openTab(browser, "learn");
    await openTab(browser, "play");
    assert.equal((await each(browser, "#review-moves .exact, #review-moves .expected", "1")).length, game.moves.length);
    await browser.click("#play-on");
    assert.equal((await each(browser, "#review-moves li", "1")).length, at);
  },

  "redo leads on over a new game": async (browser, { url }) => {
    const is = (game) => browser.until(`document.documentElement.dataset.game === ${JSON.stringify(game)}`);
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    await clickEdge(browser, "H0,0");
    await browser.key("n");
    await is("2x2");
    await clickEdge(browser, "V0,0");
    for (const game of ["2x2", "2x2 H0,0"]) {
      await browser.key("u");
      await is(game);
    }
    await browser.key("r");
    await is("2x2");
    await browser.key("r");
    await is("2x2 V0,0");
    assert.ok(await browser.evaluate("document.getElementById('redo').disabled"));
  },

  "a reload keeps the opponent": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:1", size: "3x3" });
    await clickEdge(browser, "H0,0");
    await browser.until("location.hash.length >= 9 && document.querySelector('#board.open')");
    await choose(browser, "opponent", "level:8");
    await browser.evaluate("location.reload()");
    await sleep(300);
    await browser.until("document.documentElement.dataset.ready === 'true'");
    assert.equal(await text(browser, "name-1"), "First-timer");
    assert.ok((await shown(browser)).moves.length >= 2);
  },

  "a reload while a game is looked through keeps all of it": async (browser, { url }) => {
    const game = whole(new Board(3, 3), 7);
    await openGame(browser, url, game);
    await browser.click("#first");
    await browser.click("#forward");
    const kept = `history.state?.at === 1 && location.hash.length === 7`;
    await browser.until(kept);
    await browser.evaluate("location.reload()");
    await sleep(300);
    await browser.until("document.documentElement.dataset.ready === 'true'");
    assert.equal(await text(browser, "position-text"), "1 / 24");
    await browser.click("#last");
    assert.equal((await shown(browser)).text, game.text);
  },

  "a pasted position waits, and keeps its players": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "level:1", seat: 1, size: "3x3" });
    await paste(browser, "3x3 H0,0 V0,0");
    await sleep(1200);
    assert.equal((await shown(browser)).moves.length, 2);
    await browser.click("#play-on");
    await browser.until("document.documentElement.dataset.game.split(' ').length > 3");
    await paste(browser, `${url}#2x2/00?blue=Ann&orange=Bob`);
    await browser.until("location.hash.includes('Ann')");
    await choose(browser, "seat", "0");
  },

  "a dialog is closed with its tab, and the settings where they were opened": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    await clickEdge(browser, "H0,0");
    await openTab(browser, "learn");
    await openTab(browser, "play");
    await browser.click("#share");
    await browser.until("document.querySelector('#share-dialog')?.open");
    await browser.evaluate("history.back()");
    await browser.until("document.documentElement.dataset.tab === 'learn'");
    assert.ok(!(await browser.evaluate("document.querySelector('#share-dialog').open")));
    await openTab(browser, "play");
    const isShown = () => browser.evaluate("document.getElementById('setup').checkVisibility()");
    for (const open of [true, false]) {
      await browser.click("#setup-open");
      assert.equal(await isShown(), open);
    }
  },

  "shortcuts work with Caps Lock and on other keyboards": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    const moves = async () => (await shown(browser)).moves.length;
    const press = (key, code, more = {}) => browser.evaluate(
      `document.body.dispatchEvent(new KeyboardEvent("keydown", ${JSON.stringify({ key, code, bubbles: true, ...more })})) && undefined`,
    );
    // Caps Lock, a Russian and a Greek keyboard, and Dvorak's, whose U is where others have F.
    for (const [key, code] of [["U", "KeyU"], ["г", "KeyU"], ["Г", "KeyU"], ["υ", "KeyU"], ["u", "KeyF"]]) {
      await clickEdge(browser, "H0,0");
      assert.equal(await moves(), 1);
      await press(key, code);
      assert.equal(await moves(), 0, `${key} at ${code}`);
    }
    await clickEdge(browser, "H0,0");
    for (const [key, code, more] of [["f", "KeyU"], ["г", "KeyU", { ctrlKey: true }], ["7", "Digit7"]]) await press(key, code, more);
    assert.equal(await moves(), 1);
    await press("A", "KeyA");
    assert.equal(await browser.evaluate("document.getElementById('analyze').getAttribute('aria-pressed')"), "true");
    await press("?", "Digit7", { shiftKey: true });
    assert.ok(await browser.evaluate("document.getElementById('help-dialog').open"));
    await browser.key("Escape");
  },

  "the bot moves on after a reload, and from a link whose mover it is": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "master", size: "5x5" });
    await clickEdge(browser, "H2,2");
    await browser.until("location.hash.length === 7 && document.documentElement.dataset.thinking === 'true'");
    await browser.evaluate("location.reload()");
    await sleep(300);
    await browser.until("document.documentElement.dataset.game?.split(' ').length === 3", 20_000);
    assert.equal(await text(browser, "name-1"), "Master");
    // A reload is no help.
    await browser.until("location.hash.length === 9 && history.state?.helps?.length === 0");
    await choose(browser, "opponent", "level:2");
    await openGame(browser, url, played(new Board(3, 3), ["H0,0"]));
    await browser.click("#play-on");
    await browser.until("document.documentElement.dataset.game.split(' ').length === 3", 20_000);
    assert.equal(await text(browser, "name-1"), "Collector");
  },

  "the Tab key leads to a line, and no window is too narrow": async (browser, { url }) => {
    await newGame(browser, url, { opponent: "person", size: "2x2" });
    await browser.evaluate("[...document.querySelectorAll('header button')].at(-1).focus()");
    await browser.key("Tab");
    assert.equal(await browser.evaluate("document.activeElement.getAttribute('role')"), "button");
    assert.ok(await browser.evaluate("document.activeElement.matches('.edge')"));
    for (const [width, height] of [[320, 568], [600, 500], [820, 1180], [1100, 600]]) {
      await browser.setViewport(width, height);
      for (const tab of ["learn", "training", "scores", "play"]) {
        await openTab(browser, tab);
        const across = await browser.evaluate("document.scrollingElement.scrollWidth");
        assert.ok(across <= width, `${tab} is ${across} wide in ${width} x ${height}`);
      }
    }
    await browser.setViewport(1280, 900);
  },
};
