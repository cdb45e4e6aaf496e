// The puzzle of the day, and those of earlier days.
import { Diary, dayOf, daysAfter, dayWords, hasPuzzle, indexOf, shareWords } from "./daily.js";
import { el } from "../page/dom.js";
import { PuzzlePart } from "./puzzle-part.js";
import { texts } from "../texts.js";

export class DailyPanel extends PuzzlePart {
  /** `onChosen` is called after another day was chosen. */
  constructor(grader, file, onChange, onChosen) {
    super(grader, file, onChange);
    this.diary = new Diary();
    this.diary.kept.listen(() => this.onChange());
    this.day = null;
    const button = (id, text, onclick) => el("button", { type: "button", id, onclick }, text);
    const go = (days) => () => {
      this.goTo(daysAfter(this.day, days));
      onChosen();
    };
    this.earlier = button("day-earlier", texts.learn.earlier, go(-1));
    this.later = button("day-later", texts.learn.later, go(1));
    this.streak = el("p", { id: "day-streak", class: "note" });
    this.text = el("textarea", { id: "day-text", readonly: true, rows: "4", "aria-label": texts.learn.shareLabel });
    this.copied = el("span", { role: "status" });
    this.sharing = el("div", { id: "day-share" }, el("h3", {}, texts.learn.share), this.text,
      el("p", { class: "row" }, button("day-copy", texts.learn.copy, () => this.copy()), this.copied));
    this.more = el("div", {}, this.sharing, el("p", { class: "row" }, this.earlier, this.later), this.streak);
  }

  get today() {
    return dayOf(Date.now());
  }

  /** What a reload opens again: the day, unless it is today. */
  get item() {
    return this.day === this.today ? undefined : this.day;
  }

  /** Opens the puzzle of a day, or continues with the one on show. */
  async open(day = this.day ?? this.today) {
    if (this.exercise && day === this.day) return this.resume();
    this.day = day;
    await this.load();
    if (this.puzzles) this.goTo(day);
  }

  /** Shows the puzzle of a day. */
  goTo(day) {
    this.day = hasPuzzle(day, this.today) ? day : this.today;
    this.copied.textContent = "";
    this.start(this.puzzles[indexOf(this.day, this.puzzles.length)]);
  }

  changed() {
    const { phase, mistakes } = this.exercise;
    const known = this.diary.of(this.day);
    if (!known.solved && !known.shown) {
      if (phase === "solved") {
        const onDay = this.day === this.today;
        this.diary.note(this.day, { mistakes, solved: !this.gaveUp, shown: this.gaveUp, onDay });
      } else if (mistakes > known.mistakes) {
        this.diary.note(this.day, { mistakes });
      }
    }
    super.changed();
  }

  /** Begins the puzzle, with the mistakes that were made before the page was loaded. */
  start(puzzle) {
    super.start(puzzle);
    this.exercise.mistakes = this.diary.of(this.day).mistakes;
    this.onChange();
  }

  async copy() {
    this.text.select();
    try {
      await navigator.clipboard.writeText(this.text.value);
      this.copied.textContent = texts.learn.copied;
    } catch {
      this.copied.textContent = texts.learn.copyHere;
    }
  }

  get view() {
    if (!this.puzzles) return this.missing(texts.learn.daily);
    const { today } = this;
    const known = this.diary.of(this.day);
    this.sharing.hidden = !known.solved;
    if (known.solved) this.text.value = `${shareWords(this.day, today, known)}\n${addressOf(this.day)}`;
    this.earlier.disabled = !hasPuzzle(daysAfter(this.day, -1), today);
    this.later.disabled = this.day >= today;
    this.streak.textContent = [this.streakWords(today), this.diary.fault].join(" ").trim();
    const title = texts.learn.ofDay(dayWords(this.day, today), this.day === today);
    return { ...this.puzzleView, title, more: this.more };
  }

  streakWords(today) {
    const { solved, shown } = this.diary.of(this.day);
    const here = solved ? texts.learn.daySolved : shown ? texts.learn.dayShown : "";
    return `${texts.learn.streak(this.diary.streak(today))} ${here}`.trim();
  }
}

/** Returns the address that opens the puzzle of a day. */
const addressOf = (day) => `${location.origin}${location.pathname}#puzzle/${day}`;
