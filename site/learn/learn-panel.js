// The tab to learn the game: a course, a puzzle of the day and a puzzle rush, of which one is shown.
import { BotClient } from "../page/bots.js";
import { CoursePanel } from "./course-panel.js";
import { dayOf, hasPuzzle } from "./daily.js";
import { DailyPanel } from "./daily-panel.js";
import { focusBoard } from "../page/dom.js";
import { Grader } from "./grader.js";
import { LearnView } from "./learn-view.js";
import { PuzzleFile } from "./puzzles.js";
import { RushPanel } from "./rush-panel.js";

/** The fragment of an address that opens the puzzle of a day. */
const FRAGMENT = /^#puzzle\/(\d{4}-\d\d-\d\d)$/;

export class LearnPanel {
  /** `onTable` is called with the table to show after each change, `light` with the edges to light up. */
  constructor(bots, onTable, light) {
    this.onTable = onTable;
    this.light = light;
    this.isOpen = false;
    this.view = new LearnView((name) => this.choose(name), (name) => this.act(name));
    const grader = new Grader(new BotClient(bots), bots.levels);
    const file = new PuzzleFile();
    const changed = (name) => () => this.changed(name);
    const chosen = () => this.view.focusTitle();
    this.parts = {
      course: new CoursePanel(grader, changed("course"), chosen, () => this.choose("daily")),
      daily: new DailyPanel(grader, file, changed("daily"), () => this.view.showTop()),
      rush: new RushPanel(grader, file, changed("rush"), chosen),
    };
    this.name = "course";
  }

  get part() {
    return this.parts[this.name];
  }

  /** Shows the tab. */
  open() {
    if (this.isOpen) return;
    this.isOpen = true;
    const { part = this.name, item } = history.state ?? {};
    this.name = part;
    this.part.open(item);
  }

  /** Leaves the tab. */
  close() {
    if (!this.isOpen) return;
    this.part.leave();
    this.light([]);
    this.isOpen = false;
  }

  /** Opens the puzzle that an address names. Returns false if it names none, or a day that has none. */
  openFragment(fragment) {
    const found = FRAGMENT.exec(fragment);
    if (!found || !hasPuzzle(found[1], dayOf(Date.now()))) return false;
    this.close();
    this.name = "daily";
    this.isOpen = true;
    this.part.open(found[1]);
    return true;
  }

  /** Shows another part. */
  choose(name) {
    if (name === this.name) return;
    this.part.leave();
    this.name = name;
    this.part.open();
    this.changed(name);
  }

  /** Handles a button, and moves the focus from it to where it leads. */
  act(name) {
    const focus = this.part.act(name);
    if (focus === "title") this.view.focusTitle();
    if (focus === "board") focusBoard();
  }

  /** Shows a part after a change of it. */
  changed(name) {
    if (!this.isOpen || name !== this.name) return;
    const { part } = this;
    if (!part.table) return;
    this.onTable(part.table);
    this.view.show(name, part.view);
    this.light(part.lit);
    this.note(name, part);
  }

  /** Notes in the browser's history what is open, for a reload. The address of a puzzle stays as long as that is open. */
  note(name, { item, day }) {
    if (history.state?.part === name && history.state.item === item) return;
    history.replaceState({ tab: "learn", part: name, item }, "", location.hash === `#puzzle/${day}` ? location.hash : "#learn");
  }
}
