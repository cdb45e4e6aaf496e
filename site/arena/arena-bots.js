// The choice of bots for a match in the arena: those of the page, and modules that a person adds.
import { byId, el } from "../page/dom.js";
import { moduleOfFile } from "./own-bot.js";
import { descriptionOf, GIVEN_NETWORKS, LEVELS, OTHER_BOTS } from "../play/strengths.js";
import { texts } from "../texts.js";

/** The bots that are chosen at first. */
const FIRST = ["level:2", "level:4", "level:6"];

export class BotChoice {
  constructor() {
    /** The bots as `{name, field}` with their check box, and with their `strength` or `module`. */
    this.bots = [];
    /** The names of all bots, those that were removed included, whose results may stay. */
    this.names = new Set();
    this.own = el("div", { class: "chips" });
    const files = el("input", { type: "file", id: "arena-files", multiple: true, accept: ".wasm", onchange: () => {
      this.add([...files.files]);
      // Without this, choosing the same file again would not be a change.
      files.value = "";
    } });
    this.refused = el("p", { id: "arena-refused", role: "status" });
    const group = (label, ...children) => el("fieldset", {}, el("legend", {}, label), ...children);
    const ofPage = (label, strengths) => group(label, el("div", { class: "chips" }, ...strengths.map((strength) => this.offer(strength))));
    this.element = el("div", { id: "arena-bots" },
      GIVEN_NETWORKS.length ? ofPage(texts.bots.networks, GIVEN_NETWORKS) : null,
      ofPage(texts.bots.allLevels, LEVELS), ofPage(texts.bots.others, OTHER_BOTS),
      group(texts.arena.own, this.own, el("label", { class: "file" }, texts.arena.add, " ", files), this.refused,
        el("p", { class: "note" }, texts.arena.about)));
    this.listenToDrops();
  }

  /** The bots that are chosen. */
  get chosen() {
    return this.bots.filter(({ field }) => field.checked).map(({ field, ...bot }) => bot);
  }

  /** Returns the check box of a bot of the page, with its label. */
  offer(strength) {
    const isFirst = FIRST.includes(strength.id) || GIVEN_NETWORKS.includes(strength);
    const field = el("input", { type: "checkbox", value: strength.id, checked: isFirst });
    this.bots.push({ name: this.freeName(strength.name), strength, field });
    return el("label", { class: "chip", title: descriptionOf(strength) }, field, strength.label ?? strength.name);
  }

  /** Adds files of a person, and says which of them are no bots. */
  async add(files) {
    const refused = [];
    for (const file of files) {
      try {
        this.addModule(file.name, await moduleOfFile(file));
      } catch (error) {
        refused.push(texts.arena.notAdded(file.name, error.message));
      }
    }
    this.refused.textContent = refused.join(" ");
  }

  addModule(fileName, module) {
    const bot = { name: this.freeName(fileName), module, field: el("input", { type: "checkbox", checked: true }) };
    const remove = el("button", { type: "button", class: "quiet", "aria-label": texts.arena.remove(bot.name), onclick: () => {
      this.bots = this.bots.filter((other) => other !== bot);
      chip.remove();
      byId("arena-files").focus();
    } }, "×");
    const chip = el("span", { class: "own" }, el("label", { class: "chip" }, bot.field, bot.name), remove);
    this.bots.push(bot);
    this.own.append(chip);
  }

  /** Returns a name for a bot, with a number if another one had it. */
  freeName(name) {
    let [free, number] = [name, 1];
    while (this.names.has(free)) free = `${name} ${++number}`;
    this.names.add(free);
    return free;
  }

  /** Takes files that are dropped anywhere on the page while the arena is shown. */
  listenToDrops() {
    const isFor = ({ dataTransfer }) => !byId("arena").hidden && dataTransfer?.types.includes("Files");
    const mark = (on) => this.element.classList.toggle("dropping", on);
    addEventListener("dragover", (event) => {
      if (!isFor(event)) return;
      event.preventDefault();
      mark(true);
    });
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && mark(false));
    addEventListener("drop", (event) => {
      mark(false);
      if (!isFor(event)) return;
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    });
  }
}
