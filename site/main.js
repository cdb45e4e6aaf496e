// The page: two tables, one of which is shown, and everything that reacts to them. Every change
// ends in `render`, which updates the whole page to the table that is shown.
import { Address } from "./address.js";
import { AnalysisPanel } from "./analysis-panel.js";
import { Analysis } from "./analysis.js";
import { BotClient, Bots, Stopped } from "./bots.js";
import { byId, save } from "./dom.js";
import { BotDriver } from "./bot-driver.js";
import { listenToKeys } from "./keys.js";
import { LazyPanel } from "./lazy-panel.js";
import { writeGame } from "./match-log.js";
import { fragmentOf, gamesOfFragment, gamesOfText } from "./notation.js";
import { showNotice } from "./notices.js";
import { PlayPanel } from "./play-panel.js";
import { addResult } from "./results.js";
import { ReviewPanel } from "./review-panel.js";
import { ScoresPanel } from "./scores-panel.js";
import { soundOf } from "./sound.js";
import { Stage } from "./stage.js";
import { addNetworks, HINT_BUDGET, strengthOf } from "./strengths.js";
import { PERSON, Table } from "./table.js";
import { isTab, listenToTabs, showTab } from "./tabs.js";
import { WatchPanel } from "./watch-panel.js";

/** The beginning of the fragment of an address that opens the puzzle of a day. */
const PUZZLE = "#puzzle/";

const page = document.documentElement;
const bots = await Bots.load().catch((error) => {
  showNotice("page", `No bots are available (${error.message}), but two people can play.`);
  return new Bots({ bots: [] });
});
addNetworks(bots.given);

const hinter = new BotClient(bots);
const driver = new BotDriver(new BotClient(bots), render);
const analysis = new Analysis(new BotClient(bots), render);
const stage = new Stage(draw, (edge) => isAnalyzing && analysisPanel.point(edge));
const analysisPanel = new AnalysisPanel(analysis, stage.board);
const review = new ReviewPanel(new BotClient(bots), goTo, (edges) => stage.board.light("lit", edges));
const missing = (subject) => (error) =>
  showNotice(subject, error && `This part of the page cannot be loaded: ${error.message}. The page tries again.`);
const makeTraining = ({ TrainingPanel }) => new TrainingPanel(bots.runs);
const training = new LazyPanel("./training-panel.js", makeTraining, missing("training"));
const makeArena = ({ ArenaPanel }) => new ArenaPanel(bots, (name, records) => {
  watchPanel.offer(name, records, []);
  selectTab("watch");
  byId("run").focus();
});
const arena = new LazyPanel("./arena-panel.js", makeArena, missing("arena"));
const scores = new ScoresPanel();
const makeLearn = ({ LearnPanel }) => new LearnPanel(bots, (table) => {
  tables.learn = table;
  if (tab !== "learn") return;
  shown = table;
  render();
}, (edges) => stage.board.light("lit", edges));
const learn = new LazyPanel("./learn-panel.js", makeLearn, missing("learn"));
const playPanel = new PlayPanel(bots, newGame, () => {
  analysis.forget();
  render();
});
const watchPanel = new WatchPanel(bots, (opened) => {
  tables.watch = opened;
  setPace();
  if (tab === "watch") shown = opened;
  render();
});

bots.onChange = () => {
  showNotice("bots", bots.fault && `A bot cannot be loaded: ${bots.fault}. The page tries again every few seconds.`);
  render();
};

const address = new Address();
const tables = { play: new Table(playPanel.board, playPanel.seats), watch: watchPanel.table() };
let tab = "play";
let shown = tables.play;
let isAnalyzing = false;
let hint = null;
/** The game that was shown last, for the sound of the move after it. */
let heard = null;

// ---- actions of a person ----

function draw(edge) {
  if (!shown.personsTurn) return;
  if (tab === "learn") return shown === tables.learn && learn.panel.draw(edge);
  shown.play(edge);
  render();
}

function newGame() {
  showNotice("page", null);
  replaceTable(new Table(playPanel.board, playPanel.seats));
  render();
}

/** Starts another game of the same two, with the seats swapped. */
function rematch() {
  if (tab === "watch") return watchPanel.live();
  const { board, seats } = tables.play;
  playPanel.swapSeats();
  replaceTable(new Table(board, [seats[1].id, seats[0].id]));
  render();
}

/** Puts a table in the place of the one in the play tab, to which undo leads back. */
function replaceTable(table) {
  table.before = tables.play.length > 0 ? tables.play : tables.play.before;
  table.recorded ||= table.game.over;
  seat(table);
}

/** Shows a table in the play tab. */
function seat(table) {
  tables.play = table;
  shown = table;
}

function goTo(at, table = shown) {
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

function playOn() {
  shown.playOn();
  render();
}

/** Moves of the watch tab are made at the chosen pace, captures too. */
function setPace() {
  tables.watch.pause = watchPanel.pause;
  tables.watch.cascade = watchPanel.pause;
}

/** Starts, pauses or continues the game or replay of the watch tab. */
function run() {
  const table = shown;
  const { running } = table;
  table.since = performance.now();
  table.held = running;
  table.follows = !running;
  table.fault = null;
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
  if (!review.running) reviewGame();
  byId("review").scrollIntoView({ block: "nearest" });
  byId("review-run").focus({ preventScroll: true });
}

/** Opens the position that is shown in the play tab. */
function playShownPosition() {
  openAt(shown.games.slice(0, shown.at + 1));
  selectTab("play");
}

/** Opens the last of these states in the play tab, for two players by their ids, and the help they have had. */
function openAt(games, seats = playPanel.seats, helps = games.length > 1 ? ["position"] : []) {
  const table = new Table(games[0].board, seats, games);
  for (const help of helps) table.helps.add(help);
  replaceTable(table);
  playPanel.offer(table.board);
}

/** Opens a game that was pasted, and reviews it if it is over. */
function openText(text) {
  try {
    openAt(gamesOfText(text));
  } catch (error) {
    return showNotice("page", `What was pasted is not a game: ${error.message}.`);
  }
  showNotice("page", null);
  selectTab("play");
  render();
  if (shown.game.over) reviewEnding();
}

/** Opens the tab, game or puzzle in the address. A torn address is kept until a move is made. */
function openFragment() {
  showNotice("page", null);
  const name = location.hash.slice(1);
  if (name === "") return openPlain();
  if (isTab(name)) return switchTab(name);
  if (location.hash.startsWith(PUZZLE)) return openPuzzle(location.hash);
  try {
    openAt(gamesOfFragment(location.hash), ...playersOf(history.state));
    address.enter(tables.play);
    switchTab("play");
  } catch (error) {
    keepAddress(error.message);
  }
}

/** Opens the page as it is without a game in its address. Whoever only follows runs has come to see them. */
function openPlain() {
  const opened = bots.runs.length && !bots.given.length ? "training" : "play";
  if (opened === "play") address.enter(tables.play);
  switchTab(opened);
}

/** Returns the players of the game that an entry of the history was made for and their help, or nothing. */
function playersOf(entry) {
  const { seats, helps } = entry ?? {};
  const isKnown = (id) => id === PERSON || strengthOf(id) !== null;
  return Array.isArray(seats) && seats.length === 2 && seats.every(isKnown) && Array.isArray(helps) ? [seats, helps] : [];
}

/** Opens the puzzle of a day. */
function openPuzzle(fragment) {
  learn.use((panel) => (panel.openFragment(fragment) ? switchTab("learn") : keepAddress("there is no puzzle of that day")));
}

/** Keeps an address that cannot be opened, and says why. */
function keepAddress(reason) {
  address.keepFor(shown.game);
  shown.held = true;
  render();
  showNotice("page", `The game in this address cannot be opened: ${reason}. The address stays as it is until you move.`);
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

/** Shows the address of the position, and copies it. */
async function share() {
  if (tab === "play") address.share(tables.play, shown.game);
  else address.offer(new URL(fragmentOf(shown.game), location.href).href);
  byId("shared").hidden = false;
  byId("address").select();
  try {
    await navigator.clipboard.writeText(byId("address").value);
    byId("copied").textContent = "Copied.";
  } catch {
    byId("copied").textContent = "Copy the address from here.";
  }
}

/** Saves the game as a match log. */
function saveGame() {
  const { game, seats, nonce, seconds, longest, record } = shown;
  const names = seats.map((seat) => seat.id);
  // A replay is saved as it was read, with its nonce, opening and times.
  const line = record ? `${record}\n` : writeGame({ game, names, nonce, seconds, longest });
  save(`dots-and-boxes-${game.board.name}.jsonl`, line, "application/jsonl");
}

/** Switches to a tab that a person has chosen, with an entry of the history of its own. */
function selectTab(name) {
  if (name === tab) return;
  address.push(name, tables.play);
  switchTab(name);
}

/** Switches to a tab, and pauses the watch tab when it is left. */
function switchTab(name) {
  if (tab === "watch" && name !== "watch") {
    tables.watch.held = true;
    tables.watch.follows = false;
  }
  tab = name;
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

function showTraining(panel) {
  panel.show(tab === "training");
  if (tab === "training") page.dataset.tab = tab;
}

function showArena(panel) {
  panel.show(tab === "arena");
  if (tab === "arena") page.dataset.tab = tab;
}

// ---- display ----

/** Updates the page to the table that is shown. */
function render() {
  const { game } = shown;
  const gameTab = tab === "play" || tab === "watch";
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
  byId("game").hidden = !gameTab && !learning;
  byId("game").classList.toggle("learning", learning);
  if (gameTab || learning) byId("game").setAttribute("aria-labelledby", `tab-${tab}`);
  byId("play-panel").hidden = tab !== "play";
  byId("watch-panel").hidden = tab !== "watch";
  for (const part of ["learn-text", "learn-panel"]) byId(part).hidden = !learning;
  for (const part of ["arena", "training", "scores"]) byId(part).hidden = tab !== part;
  if (tab === "training" || training.panel) training.use(showTraining);
  if (tab === "arena" || arena.panel) arena.use(showArena);
  if (tab === "scores") scores.show();

  if (gameTab) review.show(shown);
  stage.show(shown, {
    watching: shown === tables.watch, thinking: driver.thinking, loading: driver.loading, hint: hint?.edge ?? null,
    named: gameTab && (isAnalyzing || review.active), lesson: gameTab ? review.lessonOf(shown) : null,
    reviewing: gameTab && review.active,
    result: isAnalyzing && gameTab && !game.over ? analysis.current?.result ?? null : null,
  });
  byId("analysis").hidden = !isAnalyzing;
  byId("analyze").setAttribute("aria-pressed", String(isAnalyzing));
  if (isAnalyzing) analysisPanel.show(shown);
  sound(shown);

  // The other tabs are ready once their panel is loaded.
  if (!["learn", "arena", "training"].includes(tab)) page.dataset.tab = tab;
  page.dataset.game = game.text;
  page.dataset.thinking = String(driver.thinking);
  page.dataset.ready = "true";
  // The address is that of the game in the play tab, or of another tab.
  if (tab === "play") address.update(tables.play, game);
  else address.stay();
  if (tab === "watch") address.offer(new URL(fragmentOf(game), location.href).href);
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
  });
  if (fault) showNotice("page", fault);
}

// ---- wiring ----

const actions = {
  undo, redo, share, hint: showHint, "move-now": () => driver.moveNow(), analyze: toggleAnalysis, save: saveGame, run,
  first: () => goTo(0), back: () => goTo(shown.at - 1),
  forward: () => goTo(shown.at + 1), last: () => goTo(shown.length),
  "play-on": playOn, "watch-take": playShownPosition, "analysis-stop": stopOrDeepen, "review-run": reviewGame,
  rematch, "ending-review": reviewEnding, "to-course": () => selectTab("learn"),
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
openFragment();
