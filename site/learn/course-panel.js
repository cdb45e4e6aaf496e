// The course: its steps one after another, and the list of all of them.
import { doneWords, Progress, taskOf } from "./course.js";
import { el } from "../page/dom.js";
import { LearnPart } from "./learn-part.js";
import { LESSONS } from "./lessons.js";
import { texts } from "../texts.js";

export class CoursePanel extends LearnPart {
  /** `onChosen` is called after a step was chosen, `onPuzzles` to go on to the puzzles. */
  constructor(grader, onChange, onChosen, onPuzzles) {
    super(grader, onChange);
    this.onPuzzles = onPuzzles;
    this.progress = new Progress();
    this.progress.kept.listen(() => this.lesson && this.onChange());
    this.items = LESSONS.map((lesson) => {
      const mark = el("span", { class: "mark", "aria-hidden": "true" });
      const done = el("span", { class: "visually-hidden" });
      const choose = () => {
        this.start(lesson);
        onChosen();
      };
      const button = el("button", { type: "button", onclick: choose }, mark, el("span", {}, lesson.title), done);
      return { lesson, mark, done, button };
    });
    this.note = el("p", { class: "note", id: "course-note" });
    this.list = el("div", {}, el("h3", {}, texts.learn.steps), this.note,
      el("ol", { id: "course-list" }, ...this.items.map(({ button }) => el("li", {}, button))));
  }

  /** Opens the step with an id, by default the one that is open or the one that comes next. */
  open(id = this.item) {
    if (this.lesson && id === this.item) this.resume();
    else this.start(LESSONS.find((lesson) => lesson.id === id) ?? this.progress.next);
  }

  /** What a reload opens again. */
  get item() {
    return this.lesson?.id;
  }

  /** Begins a step. */
  start(lesson) {
    this.lesson = lesson;
    this.begin(taskOf(lesson));
  }

  get hint() {
    return this.lesson.hint;
  }

  get offersHint() {
    return true;
  }

  changed() {
    if (this.exercise.phase === "solved") this.progress.add(this.lesson);
    super.changed();
  }

  act(name) {
    if (name !== "next") return super.act(name);
    const at = LESSONS.indexOf(this.lesson);
    if (at + 1 === LESSONS.length) this.onPuzzles();
    else this.start(LESSONS[at + 1]);
    return "title";
  }

  get view() {
    const at = LESSONS.indexOf(this.lesson);
    const { title, teach, task } = this.lesson;
    const last = at + 1 === LESSONS.length;
    const words = doneWords(this.lesson, this.exercise.task, this.exercise.table.game, this.exercise.person);
    const solved = { words, tone: "right", buttons: [["next", last ? texts.learn.toPuzzles : texts.learn.buttons.next]] };
    this.showList();
    return {
      title: texts.learn.step(at + 1, title), teach, task, more: this.list,
      ...(this.exercise.phase === "solved" ? solved : this.answer),
    };
  }

  /** Updates the marks of the list. */
  showList() {
    const { count, fault } = this.progress;
    this.note.textContent = [texts.learn.progress(count, LESSONS.length), fault].join(" ").trim();
    for (const { lesson, mark, done, button } of this.items) {
      const isDone = this.progress.has(lesson);
      mark.textContent = isDone ? "✓" : "";
      done.textContent = isDone ? texts.learn.isDone : "";
      if (lesson === this.lesson) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }
}
