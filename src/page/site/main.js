// Puts the page together: two tables, of which one is on show, and everything that reacts to them.
// Whatever happens ends in `render`, which brings the whole page in line with the table on show.
import { Analysis } from "./analysis.js";
import { AnalysisPanel } from "./analysis-panel.js";
import { Asker, Bots, Stopped } from "./bots.js";
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
import { HINT } from "./strengths.js";
import { Table } from "./table.js";
import { TrainingPanel } from "./training-panel.js";
import { WatchPanel } from "./watch-panel.js";

/** The address follows the game, but browsers refuse more than a few changes of it in a second. */
const ADDRESS_MS = 300;

const page = document.documentElement;
const bots = await Bots.load().catch((error) => {
  complain(`There are no bots to play against (${error.message}); two people can play.`);
  return new Bots({ bots: [] });
});

const player = new Asker(bots);
const driver = new Driver(player, render);
const analysis = new Analysis(new Asker(bots), render);
const analysisPanel = new AnalysisPanel(analysis, (edges) => stage.board.light("lit", edges));
const review = new ReviewPanel(new Asker(bots), goTo);
const training = new TrainingPanel(bots.run);
const scores = new ScoresPanel();
const stage = new Stage(draw);
const playPanel = new PlayPanel(bots, newGame);
const watchPanel = new WatchPanel(bots, (opened) => {
  opened.pause = watchPanel.pause;
  tables.watch = opened;
  if (tab === "watch") onShow = opened;
  render();
});

const tables = { play: new Table(playPanel.board, playPanel.seats), watch: watchPanel.table() };
let tab = "play";
let onShow = tables.play;
let analysing = false;
let hint = null;
let addressTimer = null;

// ---- what a person does ----

function draw(edge) {
  if (!onShow.personsTurn) return;
  onShow.play(edge);
  render();
}

function newGame() {
  complain(null);
  tables.play = new Table(playPanel.board, playPanel.seats);
  onShow = tables.play;
  render();
}

function goTo(at) {
  onShow.goTo(at);
  render();
}

function undo() {
  onShow.undo();
  render();
}

function redo() {
  onShow.redo();
  render();
}

function playOn() {
  onShow.playOn();
  render();
}

function run() {
  const table = onShow;
  const { running } = table;
  table.since = performance.now();
  table.held = running;
  table.follows = !running;
  table.fault = null;
  render();
}

async function giveHint() {
  const table = onShow;
  const { game } = table;
  if (!table.personsTurn || byId("hint").disabled) return;
  table.helps.add("hint");
  byId("hint").disabled = true;
  try {
    const answer = await player.ask(game.board, { what: "play", game: gameText(game), nonce: 0, ...HINT });
    hint = { game, edge: edgeOf(game.board, answer.edge) };
  } catch (error) {
    if (!(error instanceof Stopped)) complain(error.message);
  }
  render();
}

function analyse() {
  analysing = !analysing;
  if (!analysing) analysis.close();
  render();
}

function stopOrGoOn() {
  if (analysis.running) analysis.stop();
  else analysis.deepen(onShow.game);
  render();
}

function goThrough() {
  if (!onShow.games[onShow.length].over) onShow.helps.add("analysis");
  review.toggle(onShow);
}

/** Takes the position on show over to the table where one plays. */
function take() {
  const games = onShow.games.slice(0, onShow.at + 1);
  openAt(games);
}

function openAt(games) {
  tables.play = new Table(games[0].board, playPanel.seats, games);
  if (games.length > 1) tables.play.helps.add("position");
  tables.play.held = games.length > 1;
  tables.play.recorded = tables.play.game.over;
  playPanel.offer(tables.play.board);
  choose("play");
}

function openFragment() {
  complain(null);
  if (location.hash.length < 2) return;
  try {
    openAt(gamesOfFragment(location.hash));
  } catch (error) {
    render();
    complain(`The game in this address cannot be opened: ${error.message}.`);
  }
}

async function share() {
  history.replaceState(null, "", fragmentOf(onShow.game));
  byId("shared").hidden = false;
  writeAddress();
  byId("address").select();
  try {
    await navigator.clipboard.writeText(location.href);
    byId("copied").textContent = "Copied.";
  } catch {
    byId("copied").textContent = "Copy it from here.";
  }
}

function saveGame() {
  const { game, seats, nonce, seconds, longest, record } = onShow;
  const names = seats.map((seat) => seat.id);
  // A replay is saved as it was read: its nonce, opening and times are the record's.
  const line = record ? `${record}\n` : writeGame({ game, names, nonce, seconds, longest });
  save(`dots-and-boxes-${game.board.name}.jsonl`, line, "application/jsonl");
}

function choose(name) {
  if (tab === "watch" && name !== "watch") {
    tables.watch.held = true;
    tables.watch.follows = false;
  }
  tab = name;
  onShow = tables[name] ?? onShow;
  render();
}

// ---- what the page shows ----

function complain(message) {
  byId("notice").hidden = !message;
  byId("notice").textContent = message ?? "";
}

function render() {
  const { game } = onShow;
  const gameTab = tab === "play" || tab === "watch";
  if (hint && hint.game !== game) hint = null;
  driver.drive(onShow);
  if (analysing && gameTab) {
    if (onShow === tables.play && !game.over) onShow.helps.add("analysis");
    analysis.look(game);
  } else {
    analysis.close();
  }
  record(onShow);

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

  stage.show(onShow, {
    watching: onShow === tables.watch, thinking: driver.thinking, hint: hint?.edge ?? null,
    look: analysing && !game.over ? analysis.current?.look ?? null : null,
  });
  byId("analysis").hidden = !analysing;
  byId("analyse").setAttribute("aria-pressed", String(analysing));
  if (analysing) analysisPanel.show(game);
  review.show(onShow);

  page.dataset.game = gameText(game);
  page.dataset.thinking = String(driver.thinking);
  page.dataset.ready = "true";
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, ADDRESS_MS);
}

/** A person's finished game against a bot is kept once. */
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
  if (fault) complain(fault);
}

function writeAddress() {
  clearTimeout(addressTimer);
  // A page just opened keeps its plain address until there is something to tell.
  if (onShow.at || location.hash) history.replaceState(null, "", fragmentOf(onShow.game));
  if (byId("address").value === location.href) return;
  byId("address").value = location.href;
  byId("copied").textContent = "";
}

// ---- wiring ----

const actions = {
  undo, redo, share, hint: giveHint, "move-now": () => driver.moveNow(), analyse, save: saveGame, run,
  first: () => goTo(0), back: () => goTo(onShow.at - 1),
  forward: () => goTo(onShow.at + 1), last: () => goTo(onShow.length),
  "play-on": playOn, "watch-take": take, "analysis-stop": stopOrGoOn, "review-run": goThrough,
  help: () => byId("help-dialog").showModal(),
};
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
for (const button of document.querySelectorAll("[data-tab]")) {
  button.addEventListener("click", () => choose(button.dataset.tab));
}
byId("tabs").addEventListener("keydown", (event) => {
  const all = [...document.querySelectorAll("[data-tab]")];
  const at = all.findIndex((button) => button.dataset.tab === tab);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = all[(to + all.length) % all.length];
  choose(next.dataset.tab);
  next.focus();
});
byId("position").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("speed").addEventListener("input", () => (tables.watch.pause = watchPanel.pause));
addEventListener("hashchange", openFragment);
listenToKeys({
  u: "undo", r: "redo", h: "hint", m: "move-now", a: "analyse", n: "new-game", "?": "help",
});
tables.watch.pause = watchPanel.pause;
if (location.hash.length > 1) openFragment();
else render();
