// The page: two tables, one of which is shown, and everything that reacts to them. Every change
// ends in `render`, which updates the whole page to the table that is shown.
import { Analysis } from "./analysis.js";
import { AnalysisPanel } from "./analysis-panel.js";
import { BotClient, Bots, Stopped } from "./bots.js";
import { byId, save } from "./dom.js";
import { Driver } from "./driver.js";
import { listenToKeys } from "./keys.js";
import { writeGame } from "./log.js";
import { edgeOf, fragmentOf, gamesOfFragment, gameText } from "./notation.js";
import { PlayPanel } from "./play-panel.js";
import { addResult } from "./results.js";
import { ReviewPanel } from "./review-panel.js";
import { ScoresPanel } from "./scores-panel.js";
import { Stage } from "./stage.js";
import { HINT_BUDGET } from "./strengths.js";
import { Table } from "./table.js";
import { TrainingPanel } from "./training-panel.js";
import { WatchPanel } from "./watch-panel.js";

/**
 * The delay before the address is updated to the game, since browsers refuse more than a few
 * changes in a second.
 */
const ADDRESS_MS = 300;

const page = document.documentElement;
const bots = await Bots.load().catch((error) => {
  showNotice(`No bots are available (${error.message}), but two people can play.`);
  return new Bots({ bots: [] });
});

const player = new BotClient(bots);
const driver = new Driver(player, render);
const analysis = new Analysis(new BotClient(bots), render);
const analysisPanel = new AnalysisPanel(analysis, (edges) => stage.board.light("lit", edges));
const review = new ReviewPanel(new BotClient(bots), goTo);
const training = new TrainingPanel(bots.runs);
const scores = new ScoresPanel();
const stage = new Stage(draw);
const playPanel = new PlayPanel(bots, newGame, () => {
  analysis.forget();
  render();
});
const watchPanel = new WatchPanel(bots, (opened) => {
  opened.pause = watchPanel.pause;
  tables.watch = opened;
  if (tab === "watch") shown = opened;
  render();
});

/**
 * The tables of the play tab by the names that the entries of the browser's history have for them,
 * so that its Back button leads back to a game as it was. Names do not outlive the page.
 */
const opened = new Map();
const session = Math.random();

const tables = { play: new Table(playPanel.board, playPanel.seats), watch: watchPanel.table() };
let tab = "play";
let shown = tables.play;
let isAnalysing = false;
let hint = null;
let addressTimer = null;
/** The game that is shown instead of the one in the address, which is kept; or null. */
let standIn = null;

// ---- actions of a person ----

function draw(edge) {
  if (!shown.personsTurn) return;
  shown.play(edge);
  render();
}

function newGame() {
  showNotice(null);
  replaceTable(new Table(playPanel.board, playPanel.seats));
  shown = tables.play;
  render();
}

/** Puts a table in the place of the one in the play tab, to which undo leads back. */
function replaceTable(table) {
  table.before = tables.play.length > 0 ? tables.play : tables.play.before;
  table.recorded ||= table.game.over;
  tables.play = table;
}

function goTo(at) {
  shown.goTo(at);
  render();
}

function undo() {
  if (shown === tables.play && shown.undoTo === null && shown.before) {
    tables.play = shown.before;
    shown = tables.play;
    shown.held = true;
  } else {
    shown.undo();
  }
  render();
}

function redo() {
  shown.redo();
  render();
}

function playOn() {
  shown.playOn();
  render();
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
    const answer = await player.ask(game.board, { what: "play", game: gameText(game), nonce: 0, ...HINT_BUDGET });
    hint = { game, edge: edgeOf(game.board, answer.edge) };
  } catch (error) {
    if (!(error instanceof Stopped)) showNotice(error.message);
  }
  render();
}

/** Shows or hides the analysis. */
function toggleAnalysis() {
  isAnalysing = !isAnalysing;
  if (!isAnalysing) analysis.close();
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
}

/** Opens the position that is shown in the play tab. */
function playShownPosition() {
  const games = shown.games.slice(0, shown.at + 1);
  openAt(games);
}

/** Opens the last of these states in the play tab. */
function openAt(games) {
  replaceTable(new Table(games[0].board, playPanel.seats, games));
  if (games.length > 1) tables.play.helps.add("position");
  tables.play.held = games.length > 1;
  playPanel.offer(tables.play.board);
  selectTab("play");
}

/** Opens the game in the address. A torn address is kept until a move is made. */
function openFragment() {
  showNotice(null);
  if (location.hash.length < 2) return;
  try {
    openAt(gamesOfFragment(location.hash));
    history.replaceState(entryOf(tables.play), "");
  } catch (error) {
    standIn = shown.game;
    shown.held = true;
    render();
    showNotice(`The game in this address cannot be opened: ${error.message}. The address stays as it is until you move.`);
  }
}

/** Shows the table of an entry of the browser's history, or opens the game in the address. */
function openEntry({ state }) {
  const table = opened.get(state?.table);
  if (!table) return openFragment();
  showNotice(null);
  tables.play = table;
  playPanel.offer(table.board);
  selectTab("play");
}

/** Returns the state of an entry of the browser's history for a table of the play tab. */
function entryOf(table) {
  table.entry ??= `${session}-${opened.size}`;
  opened.set(table.entry, table);
  return { table: table.entry };
}

/** Shows the address of the position, and copies it. */
async function share() {
  standIn = null;
  history.replaceState(entryOf(tables.play), "", fragmentOf(shown.game));
  byId("shared").hidden = false;
  writeAddress();
  byId("address").select();
  try {
    await navigator.clipboard.writeText(location.href);
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

/** Switches to a tab, and pauses the watch tab when it is left. */
function selectTab(name) {
  if (tab === "watch" && name !== "watch") {
    tables.watch.held = true;
    tables.watch.follows = false;
  }
  tab = name;
  shown = tables[name] ?? shown;
  render();
}

// ---- display ----

/** Shows a message above the page, or hides it. */
function showNotice(message) {
  byId("notice").hidden = !message;
  byId("notice").textContent = message ?? "";
}

/** Updates the page to the table that is shown. */
function render() {
  const { game } = shown;
  const gameTab = tab === "play" || tab === "watch";
  if (hint && hint.game !== game) hint = null;
  driver.drive(shown);
  if (isAnalysing && gameTab) {
    if (shown === tables.play && !game.over) shown.helps.add("analysis");
    analysis.analyse(game);
  } else {
    analysis.close();
  }
  record(shown);

  for (const button of document.querySelectorAll("[data-tab]")) {
    button.setAttribute("aria-selected", String(button.dataset.tab === tab));
    button.tabIndex = button.dataset.tab === tab ? 0 : -1;
  }
  byId("game").hidden = !gameTab;
  if (gameTab) byId("game").setAttribute("aria-labelledby", `tab-${tab}`);
  byId("play-panel").hidden = tab !== "play";
  byId("watch-panel").hidden = tab !== "watch";
  for (const part of ["training", "scores"]) byId(part).hidden = tab !== part;
  training.show(tab === "training");
  if (tab === "scores") scores.show();

  stage.show(shown, {
    watching: shown === tables.watch, thinking: driver.thinking, hint: hint?.edge ?? null,
    result: isAnalysing && !game.over ? analysis.current?.result ?? null : null,
  });
  byId("analysis").hidden = !isAnalysing;
  byId("analyse").setAttribute("aria-pressed", String(isAnalysing));
  if (isAnalysing) analysisPanel.show(game);
  review.show(shown);

  page.dataset.game = gameText(game);
  page.dataset.thinking = String(driver.thinking);
  page.dataset.ready = "true";
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, ADDRESS_MS);
}

/** Keeps the result of a person's finished game against a bot, once. */
function record(table) {
  const { game, person } = table;
  if (table.recorded || !game.over || !table.atEnd || table !== tables.play || person < 0) return;
  const { bot, id } = table.seats[1 - person];
  if (!bot) return;
  table.recorded = true;
  const fault = addResult({
    board: table.board.name, strength: id, seat: person, margin: game.margin(person),
    date: new Date().toISOString(), helps: [...table.helps],
  });
  if (fault) showNotice(fault);
}

/** Updates the address to the game. */
function writeAddress() {
  clearTimeout(addressTimer);
  if (standIn === shown.game) return;
  standIn = null;
  // A page that was just opened keeps its plain address until a move is made.
  const address = shown.at || location.hash ? fragmentOf(shown.game) : location.href;
  history.replaceState(entryOf(tables.play), "", address);
  if (byId("address").value === location.href) return;
  byId("address").value = location.href;
  byId("copied").textContent = "";
}

// ---- wiring ----

const actions = {
  undo, redo, share, hint: showHint, "move-now": () => driver.moveNow(), analyse: toggleAnalysis, save: saveGame, run,
  first: () => goTo(0), back: () => goTo(shown.at - 1),
  forward: () => goTo(shown.at + 1), last: () => goTo(shown.length),
  "play-on": playOn, "watch-take": playShownPosition, "analysis-stop": stopOrDeepen, "review-run": reviewGame,
  help: () => {
    byId("help-dialog").showModal();
    byId("help-dialog").scrollTop = 0;
  },
};
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
for (const button of document.querySelectorAll("[data-tab]")) {
  button.addEventListener("click", () => selectTab(button.dataset.tab));
}
byId("tabs").addEventListener("keydown", (event) => {
  const all = [...document.querySelectorAll("[data-tab]")];
  const at = all.findIndex((button) => button.dataset.tab === tab);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = all[(to + all.length) % all.length];
  selectTab(next.dataset.tab);
  next.focus();
});
byId("position").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("speed").addEventListener("input", () => (tables.watch.pause = watchPanel.pause));
addEventListener("popstate", openEntry);
listenToKeys({
  u: "undo", r: "redo", h: "hint", m: "move-now", a: "analyse", n: "new-game", "?": "help",
});
tables.watch.pause = watchPanel.pause;
history.replaceState(entryOf(tables.play), "");
if (location.hash.length > 1) openFragment();
else render();
