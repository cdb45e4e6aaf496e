// The page: two tables, one of which is shown, and everything that reacts to them. Every change
// ends in `render`, which updates the whole page to the table that is shown.
import { Address } from "./share/address.js";
import { AnalysisPanel } from "./analysis/analysis-panel.js";
import { Analysis } from "./analysis/analysis.js";
import { BotClient, Bots, Stopped } from "./page/bots.js";
import { byId, focusBoard, showBoard } from "./page/dom.js";
import { BotDriver } from "./play/bot-driver.js";
import { listenToKeys } from "./page/keys.js";
import { LazyPanel } from "./page/lazy-panel.js";
import { keepOffline } from "./page/offline.js";
import { fragmentOf, gamesOfFragment, gamesOfText, movesText, playersOfFragment, playersOfText } from "./share/notation.js";
import { showNotice } from "./page/notices.js";
import { PlayPanel } from "./play/play-panel.js";
import { addResult, nameIn } from "./scores/results.js";
import { settingText } from "./scores/stored-value.js";
import { ReviewPanel } from "./analysis/review-panel.js";
import { soundOf } from "./play/sound.js";
import { Stage } from "./play/stage.js";
import { addNetworks, HINT_BUDGET, strengthOf } from "./play/strengths.js";
import { PERSON, Table } from "./play/table.js";
import { isTab, listenToTabs, showTab } from "./page/tabs.js";
import { texts } from "./texts.js";
import { WatchPanel } from "./play/watch-panel.js";

/** How many workers share a review. */
const REVIEWERS = Math.min(4, navigator.hardwareConcurrency ?? 2);

/** The beginning of the fragment of an address that opens the puzzle of a day. */
const PUZZLE = "#puzzle/";

const page = document.documentElement;
const bots = await Bots.load().catch((error) => {
  showNotice("page", texts.page.noBots(error.message));
  return new Bots({ bots: [] });
});
addNetworks(bots.given);

const hinter = new BotClient(bots);
const driver = new BotDriver(new BotClient(bots), render);
const analysis = new Analysis(new BotClient(bots), render);
const stage = new Stage(draw, (edge) => isAnalyzing && analysisPanel.point(edge));
const analysisPanel = new AnalysisPanel(analysis, stage.board);
const light = (edges) => stage.board.light("lit", edges);
const review = new ReviewPanel(Array.from({ length: REVIEWERS }, () => new BotClient(bots)), goTo, light);
const missing = (subject) => (error) => showNotice(subject, error && texts.page.partMissing(error.message));
const training = new LazyPanel("training/training-panel.js", ({ TrainingPanel }) => new TrainingPanel(bots.runs), missing("training"));
const makeArena = ({ ArenaPanel }) => new ArenaPanel(bots, (name, log) => {
  watchPanel.offer(name, log);
  selectTab("watch");
  scrollTo(0, 0);
  byId("run").focus({ preventScroll: true });
});
const arena = new LazyPanel("arena/arena-panel.js", makeArena, missing("arena"));
const scores = new LazyPanel("scores/scores-panel.js", ({ ScoresPanel }) => new ScoresPanel(openResult), missing("scores"));
const makeLearn = ({ LearnPanel }) => new LearnPanel(bots, (table) => {
  tables.learn = table;
  if (tab !== "learn") return;
  shown = table;
  render();
}, light);
const learn = new LazyPanel("learn/learn-panel.js", makeLearn, missing("learn"));
const retry = new LazyPanel("analysis/retry-panel.js", ({ RetryPanel }) => new RetryPanel(bots, light, showRetry), missing("retry"));
const sharing = new LazyPanel("share/share-panel.js", ({ SharePanel }) => new SharePanel(), missing("sharing"));
const playPanel = new PlayPanel(bots, {
  onStart: newGame,
  onChange: followSettings,
  onNetwork: () => {
    analysis.forget();
    render();
  },
});
const watchPanel = new WatchPanel(bots, (opened) => {
  tables.watch = opened;
  setPace();
  if (tab === "watch") shown = opened;
  render();
});

bots.onChange = () => {
  showNotice("bots", bots.fault && texts.page.botMissing(bots.fault));
  render();
};

const address = new Address();
const tables = { play: waitingTable(), watch: watchPanel.table() };
let tab = "play";
let shown = tables.play;
let isAnalyzing = false;
let hint = null;
/** The table whose mistake is tried again in place of it, or null. */
let trying = null;
/** The game that was shown last, for the sound of the move after it. */
let heard = null;

// ---- actions of a person ----

function draw(edge) {
  if (!shown.personsTurn) return;
  if (trying) return retry.panel.draw(edge);
  if (tab === "learn") return shown === tables.learn && learn.panel.part.draw(edge);
  shown.play(edge);
  render();
}

function newGame() {
  showNotice("page", null);
  settingText("game", null);
  replaceTable(new Table(playPanel.board, playPanel.seats));
  render();
}

/** Returns a table of the settings, at which a bot begins only once the game is started. */
function waitingTable() {
  const table = new Table(playPanel.board, playPanel.seats);
  table.held = true;
  if (!table.personsTurn) table.caption = texts.play.waits(table.seats[0].name);
  return table;
}

/** Lets a game that has not begun follow the settings. */
function followSettings() {
  if (!tables.play.length && !tables.play.running) replaceTable(waitingTable());
  render();
}

/** Starts another game of the same two, with the seats swapped. */
function rematch() {
  if (tab === "watch") return watchPanel.live();
  const { board, seats } = tables.play;
  playPanel.swapSeats();
  replaceTable(new Table(board, [seats[1].id, seats[0].id]));
  render();
  focusBoard();
}

/** Puts a table in the place of the one in the play tab, to which undo leads back. */
function replaceTable(table) {
  table.before = tables.play.length > 0 ? tables.play : tables.play.before;
  table.recorded ||= table.game.over;
  seat(table);
}

/** Shows a table in the play tab. */
function seat(table) {
  leaveRetry();
  tables.play = table;
  shown = table;
}

function goTo(at, table = trying ?? shown) {
  leaveRetry();
  table.goTo(at);
  render();
}

function undo() {
  if (shown === tables.play && shown.undoTo === null && shown.before) {
    shown.before.after = shown;
    seat(shown.before);
  } else {
    shown.undo();
  }
  render();
}

function redo() {
  if (shown === tables.play && shown.redoTo === null && shown.after) {
    seat(shown.after);
  } else {
    shown.redo();
  }
  render();
}

/** Continues the game from the state on show, without players who are only named. */
function playOn() {
  if (shown.viewed) shown.replaceNamed(playPanel.seats);
  shown.playOn();
  render();
}

/** Moves of the watch tab are made at the chosen pace, captures too. */
function setPace() {
  tables.watch.pause = watchPanel.pause;
  tables.watch.cascade = watchPanel.pause;
}

/** Starts, pauses or continues the game or replay of the watch tab, or starts a game in which a bot begins. */
function run() {
  if (shown === tables.play) return newGame();
  const { running } = shown;
  Object.assign(shown, { since: performance.now(), held: running, follows: !running, fault: null });
  render();
}

/** Asks for a hint and shows it. */
async function showHint() {
  const table = shown;
  const { game } = table;
  if (!table.personsTurn || byId("hint").disabled) return;
  table.helps.add("hint");
  byId("hint").disabled = true;
  try {
    const answer = await hinter.ask(game.board, { what: "play", game: game.text, nonce: 0, ...HINT_BUDGET });
    hint = { game, edge: game.board.edge(answer.edge) };
  } catch (error) {
    if (!(error instanceof Stopped)) showNotice("page", error.message);
  }
  render();
}

/** Shows or hides the analysis. */
function toggleAnalysis() {
  isAnalyzing = !isAnalyzing;
  if (!isAnalyzing) analysis.close();
  render();
  // In a page that is scrolled down, it opens above.
  if (isAnalyzing && byId("analysis").getBoundingClientRect().top < 0) byId("analysis").scrollIntoView({ block: "start" });
}

/** Stops the analysis, or continues it with a larger budget. */
function stopOrDeepen() {
  if (analysis.running) analysis.stop();
  else analysis.deepen(shown.game);
  render();
}

/** Starts or stops a review, which is help if the game is not over. */
function reviewGame() {
  if (!shown.games[shown.length].over) shown.helps.add("analysis");
  review.toggle(shown);
  render();
}

/** Reviews the game that has ended, from its end. */
function reviewEnding() {
  stage.ending.close();
  if (!review.running && !review.isWhole(shown)) reviewGame();
  byId("review").scrollIntoView({ block: "nearest" });
  byId("review-run").focus({ preventScroll: true });
}

/** Lets a person try another move in place of the mistake that led to the state on show. */
function tryAgain() {
  const table = shown;
  retry.use((panel) => {
    if (shown !== table) return;
    trying = table;
    panel.ask(table.games.slice(0, table.at));
    showBoard();
    focusBoard();
  });
}

/** Shows the position that is tried again. */
function showRetry() {
  if (trying === null) return;
  shown = retry.panel.table;
  render();
}

/** Goes back from a try to the game, if there is one. */
function leaveRetry() {
  if (trying === null) return;
  retry.panel.leave();
  light([]);
  shown = trying;
  trying = null;
}

/** Opens the position that is shown in the play tab. */
function playShownPosition() {
  openAt(shown.games.slice(0, shown.at + 1), { seats: playPanel.seats });
  selectTab("play");
}

/**
 * Opens the last of these states in the play tab, for two players by their ids or null if they are not known, with the help
 * they have had and the time they have taken. `held` says whether bots wait; `isNamed`, whether the address names the players.
 * A game that has begun waits anyhow if it has no person, and is only looked at if a player has only a name or a color.
 */
function openAt(games, { seats, helps, duration = null, held = false, isNamed = false } = {}) {
  const table = new Table(games[0].board, seats ?? texts.board.colors, games);
  if (table.length === 0) table.replaceNamed(playPanel.seats);
  table.held = held || (table.length > 0 && table.person < 0);
  table.viewed = table.hasNamed;
  Object.assign(table, { duration, isNamed });
  for (const help of helps ?? (table.length > 0 ? ["position"] : [])) table.helps.add(help);
  replaceTable(table);
  playPanel.offer(table.board);
}

/** Opens a game that was pasted, and reviews it if it is over. Whoever pastes a position looks at it first. */
function openText(text) {
  const read = () => {
    const [games, seats] = [gamesOfText(text), playersOfText(text)];
    return [games, { seats, isNamed: seats !== null, held: true }];
  };
  if (openGame(read, texts.page.notPasted) && shown.game.over) reviewEnding();
}

/** Opens the game of a result at its end, with its players. */
function openResult({ board, moves, seat, strength, name }) {
  const seats = seat === 0 ? [PERSON, strength] : [strength, PERSON];
  const read = () => [gamesOfFragment(`#${board}/${moves}`), { seats }];
  if (!openGame(read, texts.page.notOpened, name)) return;
  scrollTo(0, 0);
  byId("review-run").focus({ preventScroll: true });
}

/** Opens a game, of which `read` returns what `openAt` is given, for a person's name. Returns true if it could be read. */
function openGame(read, faultWords, name) {
  try {
    openAt(...read());
  } catch (error) {
    showNotice("page", faultWords(error.message));
    return false;
  }
  if (name) shown.seats[shown.person].called = name;
  showNotice("page", null);
  selectTab("play");
  render();
  return true;
}

/** Opens the tab, game or puzzle in the address. A torn address is kept until a move is made. */
function openFragment() {
  showNotice("page", null);
  const name = location.hash.slice(1);
  if (name === "") return openPlain();
  if (isTab(name)) return switchTab(name);
  if (location.hash.startsWith(PUZZLE)) return openPuzzle(location.hash);
  try {
    const named = playersOfFragment(location.hash);
    const { whole, at, held } = history.state ?? {};
    openAt(gamesOfFragment(whole ?? location.hash), { ...playersOf(history.state, named), isNamed: named !== null });
    if (whole) {
      tables.play.goTo(at);
      if (!held) tables.play.held = false;
    }
    address.enter(tables.play);
    switchTab("play");
  } catch (error) {
    keepAddress(error.message);
  }
}

/** Seats the game of a person that was under way when the page was left, unless the address has another game. */
function resume() {
  if (location.hash !== "" && !isTab(location.hash.slice(1))) return;
  try {
    const { whole, ...entry } = JSON.parse(settingText("game"));
    openAt(gamesOfFragment(whole), playersOf(entry, null));
  } catch {
    // There is none, or it is damaged.
  }
}

/** Keeps the game of a person that is under way, for another visit. One that was opened at its end takes no other's place. */
function keepGame(table) {
  const { seats, helps, duration } = table;
  if (table.person < 0 || table.hasNamed || table.viewed || !table.length || table.looksBack) return;
  if (table.game.over && !table.finishedHere) return;
  const entry = { whole: fragmentOf(table.game), seats: seats.map(({ id }) => id), helps: [...helps], duration };
  settingText("game", table.game.over ? null : JSON.stringify(entry));
}

/** Opens the page as it is without a game in its address. Whoever only follows runs has come to see them. */
function openPlain() {
  const opened = bots.runs.length && !bots.given.length ? "training" : "play";
  if (opened === "play") address.enter(tables.play);
  switchTab(opened);
}

/** Returns the players of the game that an entry of the history was made for, their help and their time, or whom the address names. */
function playersOf(entry, named) {
  const { seats, helps, duration } = entry ?? {};
  const isKnown = (id) => id === PERSON || strengthOf(id) !== null;
  const isEntry = Array.isArray(seats) && seats.length === 2 && seats.every(isKnown) && Array.isArray(helps);
  return isEntry ? { seats, helps, duration } : { seats: named };
}

/** Opens the puzzle of a day. */
function openPuzzle(fragment) {
  learn.use((panel) => (panel.openFragment(fragment) ? switchTab("learn") : keepAddress(texts.page.noPuzzle)));
}

/** Keeps an address that cannot be opened, and says why. */
function keepAddress(reason) {
  address.keepFor(shown.game);
  shown.held = true;
  render();
  showNotice("page", texts.page.badAddress(reason));
}

/** Shows the table of an entry of the browser's history, or opens the tab or game in the address. */
function openEntry({ state }) {
  const table = address.tableOf(state);
  if (!table) return openFragment();
  showNotice("page", null);
  tables.play = table;
  playPanel.offer(table.board);
  switchTab("play");
}

/** Switches to a tab that a person has chosen, with an entry of the history of its own. */
function selectTab(name) {
  if (name === tab) return;
  address.push(name, tables.play);
  switchTab(name);
}

/** Switches to a tab, and pauses the watch tab when it is left. */
function switchTab(name) {
  leaveRetry();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  if (tab === "watch" && name !== "watch") {
    tables.watch.held = true;
    tables.watch.follows = false;
  }
  tab = name;
  // Games may have been deleted or imported since.
  if (name === "play") playPanel.showStars();
  if (name === "learn") learn.use(openLearn);
  else learn.panel?.close();
  shown = tables[name] ?? shown;
  render();
}

function openLearn(panel) {
  if (tab !== "learn") return;
  panel.open();
  page.dataset.tab = tab;
}

/** Shows the panel of the tab, and hides those of others that are loaded. */
function showPanels() {
  for (const [name, lazy] of Object.entries({ arena, training, scores })) {
    byId(name).hidden = tab !== name;
    if (tab !== name && !lazy.panel) continue;
    lazy.use((panel) => {
      panel.show(tab === name);
      if (tab === name) page.dataset.tab = tab;
    });
  }
}

// ---- display ----

/** Updates the page to the table that is shown. */
function render() {
  const { game } = shown;
  const isGame = tab === "play" || tab === "watch";
  const gameTab = isGame && trying === null;
  const learning = tab === "learn";
  if (hint && hint.game !== game) hint = null;
  // A game that has not begun waits for its tab.
  if (gameTab || shown !== tables.play || shown.length) driver.drive(shown);
  else driver.stop();
  if (isAnalyzing && gameTab) {
    if (shown === tables.play && !game.over) shown.helps.add("analysis");
    analysis.analyze(game);
  } else {
    analysis.close();
  }
  record(shown);

  showTab(tab);
  byId("game").hidden = !isGame && !learning;
  byId("game").classList.toggle("learning", learning);
  if (isGame || learning) byId("game").setAttribute("aria-labelledby", `tab-${tab}`);
  byId("play-panel").hidden = tab !== "play";
  playPanel.show(tables.play);
  byId("watch-panel").hidden = tab !== "watch";
  for (const part of ["learn-text", "learn-panel"]) byId(part).hidden = !learning;
  showPanels();

  byId("retry-strip").hidden = trying === null;
  byId("game").classList.toggle("trying", trying !== null);
  if (trying) retry.panel.show();
  if (gameTab) review.show(shown);
  else byId("review-strip").hidden = true;
  stage.show(shown, {
    seated: shown === tables.play, watching: shown === tables.watch, thinking: driver.thinking, loading: driver.loading, hint: hint?.edge ?? null,
    named: trying !== null || (gameTab && (isAnalyzing || review.active)), lesson: gameTab && !isAnalyzing ? review.lessonOf(shown) : null,
    reviewing: isGame && review.active,
    result: isAnalyzing && gameTab && !game.over ? analysis.current?.result ?? null : null,
  });
  byId("analysis").hidden = !isAnalyzing || !gameTab;
  byId("legend").hidden = byId("analysis").hidden || game.over;
  byId("analyze").setAttribute("aria-pressed", String(isAnalyzing));
  if (isAnalyzing && gameTab) analysisPanel.show(shown);
  sound(shown);

  // The other tabs are ready once their panel is loaded.
  if (gameTab) page.dataset.tab = tab;
  page.dataset.game = game.text;
  page.dataset.thinking = String(driver.thinking);
  page.dataset.ready = "true";
  // The address is that of the game in the play tab, or of another tab.
  if (tab === "play") {
    address.update(tables.play, tables.play.game);
    keepGame(tables.play);
  } else {
    address.stay();
  }
}

/** Plays the sound of a move that has just been made. */
function sound({ game, alone, person }) {
  if (heard !== null && game.before === heard) soundOf(game, alone && game.margin(person) < 0);
  heard = game;
}

/** Keeps the result of a person's finished game against a bot, once. */
function record(table) {
  const { game, person } = table;
  if (table.recorded || !table.finishedHere || !table.atEnd || table !== tables.play || person < 0) return;
  const { bot, id } = table.seats[1 - person];
  if (!bot) return;
  table.recorded = true;
  const fault = addResult({
    board: table.board.name, strength: id, seat: person, margin: game.margin(person),
    date: new Date().toISOString(), helps: [...table.helps],
    moves: movesText(game), seconds: table.duration && Math.round(table.duration), name: nameIn().value,
  });
  if (fault) showNotice("page", fault);
  playPanel.showStars();
}

// ---- wiring ----

const actions = {
  undo, redo, hint: showHint, "move-now": () => driver.moveNow(), analyze: toggleAnalysis, run,
  share: () => sharing.use((panel) => panel.open(shown)),
  first: () => goTo(0), back: () => goTo(shown.at - 1),
  forward: () => goTo(shown.at + 1), last: () => goTo(shown.length),
  "play-on": playOn, "watch-take": playShownPosition, "analysis-stop": stopOrDeepen, "review-run": reviewGame,
  "previous-mistake": () => goTo(review.next(shown, -1)), "next-mistake": () => goTo(review.next(shown, 1)), retry: tryAgain,
  "retry-end": () => {
    leaveRetry();
    render();
    byId("retry").focus({ preventScroll: true });
  },
  rematch, again: rematch, "ending-review": reviewEnding, "to-course": () => selectTab("learn"),
  help: () => {
    byId("help-dialog").showModal();
    byId("help-dialog").scrollTop = 0;
  },
};
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
listenToTabs(selectTab);
byId("position").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("speed").addEventListener("input", setPace);
addEventListener("popstate", openEntry);
addEventListener("paste", ({ target, clipboardData }) => {
  const isText = target.closest?.("input, textarea");
  if (!isText) openText(clipboardData.getData("text/plain"));
});
listenToKeys({
  u: "undo", r: "redo", h: "hint", m: "move-now", a: "analyze", n: "new-game", "?": "help",
});
setPace();
resume();
openFragment();
keepOffline();
