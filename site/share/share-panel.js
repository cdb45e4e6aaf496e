// The dialog that shares a game: its link, its moves as text, and pictures and a match log to save.
import { boardSvg, gameSvg } from "../doublecross/svg.js";
import { byId, el, save } from "../page/dom.js";
import { writeGame } from "./match-log.js";
import { fragmentOf } from "./notation.js";
import { PERSON, RECORDED } from "../play/table.js";
import { texts } from "../texts.js";

/** The pixels of a picture for each of its drawing. */
const SCALE = 2;

const SVG_TYPE = "image/svg+xml";

export class SharePanel {
  constructor() {
    this.table = null;
    /** The states of the game that is shared. */
    this.games = [];
    /** A promise of the picture as PNG. */
    this.picture = null;
    document.body.append(shareDialog());
    const actions = {
      "share-system": () => this.system(),
      "share-svg": () => save(`${this.name}.svg`, this.drawing, SVG_TYPE),
      "share-png": () => this.savePicture(),
      "share-animation": () => save(`${this.name}-moves.svg`, gameSvg(this.games, this.options), SVG_TYPE),
      "share-log": () => save(`${this.name}.jsonl`, this.log, "application/jsonl"),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
    for (const id of Object.keys(texts.share.subjects)) byId(`${id}-copy`).addEventListener("click", () => copy(id));
    byId("share-dialog").addEventListener("close", () => URL.revokeObjectURL(byId("share-image").src));
  }

  /** Opens the dialog for the state of a table that is on show. */
  open(table) {
    const { game, games, at } = table;
    this.table = table;
    this.games = games.slice(0, at + 1);
    const ids = table.seats.map(({ id, called }) => called ?? withoutEnd(id));
    this.options = { names: table.seats.map(nameOf), dark: isDark() };
    this.drawing = boardSvg(game, this.options);
    this.name = `dots-and-boxes-${game.board.name}`;
    byId("share-link").value = `${location.origin}${location.pathname}${fragmentOf(game, ids)}`;
    byId("share-moves").value = game.text;
    byId("share-cells").value = game.cells;
    byId("share-note").textContent = "";
    byId("share-animation").disabled = at === 0;
    this.picture = this.draw();
    byId("share-dialog").showModal();
    byId("share-dialog").scrollTop = 0;
  }

  /** Shows the drawing, and returns a promise of it as PNG, or of null after saying why there is none. */
  async draw() {
    const image = byId("share-image");
    image.src = URL.createObjectURL(new Blob([this.drawing], { type: SVG_TYPE }));
    image.alt = texts.share.picture(this.options.names, this.table.game.scores);
    try {
      await image.decode();
      return await pictureOf(image);
    } catch (error) {
      note(texts.share.noPicture(error.message));
      return null;
    }
  }

  /** The game as a match log. A replay is as it was read, with its nonce, opening and times. */
  get log() {
    const { seats, nonce, seconds, longest, record } = this.table;
    return record ? `${record}\n` : writeGame({ game: this.games.at(-1), names: seats.map(({ id }) => id), nonce, seconds, longest });
  }

  async savePicture() {
    const picture = await this.picture;
    if (picture) save(`${this.name}.png`, picture, "image/png");
  }

  /** Opens the system's sheet for the link and, where that takes files, the picture. */
  async system() {
    const link = { title: texts.share.game, url: byId("share-link").value };
    const picture = await this.picture;
    const both = { ...link, files: picture ? [new File([picture], `${this.name}.png`, { type: "image/png" })] : [] };
    try {
      await navigator.share(picture && navigator.canShare?.(both) ? both : link);
    } catch (error) {
      if (error.name !== "AbortError") note(texts.share.noSystem(error.message));
    }
  }
}

const withoutEnd = (name) => (name.endsWith(RECORDED) ? name.slice(0, -RECORDED.length) : name);

/** Returns the name of a seat's player in a picture. */
function nameOf({ id, name, called }, seat) {
  return called ?? (id === PERSON ? texts.board.colors[seat] : withoutEnd(name));
}

/** Returns true if the page is dark. */
function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Returns a promise of an image as PNG. */
function pictureOf(image) {
  const [width, height] = [SCALE * image.naturalWidth, SCALE * image.naturalHeight];
  const canvas = el("canvas", { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error(texts.share.noPng))), "image/png"));
}

/** Copies the text of a field. */
async function copy(id) {
  byId(id).select();
  try {
    await navigator.clipboard.writeText(byId(id).value);
    note(texts.share.copied(texts.share.subjects[id]));
  } catch {
    note(texts.share.notCopied(texts.share.subjects[id]));
  }
}

function note(words) {
  byId("share-note").textContent = words;
}

const button = (id, text, attributes = {}) => el("button", { id, type: "button", ...attributes }, text);

/** Returns a text that can be copied. */
const toCopy = (id, label) => el("p", { class: "to-copy" },
  el("label", { for: id }, label), el("input", { id, type: "text", readonly: true }),
  button(`${id}-copy`, texts.share.copy, { "aria-label": texts.share.copyLabel(texts.share.subjects[id]) }));

/** Returns the dialog. */
function shareDialog() {
  return el("dialog", { id: "share-dialog", "aria-labelledby": "share-title" },
    el("h2", { id: "share-title", tabindex: "-1", autofocus: true }, texts.share.title),
    el("img", { id: "share-image", alt: "" }),
    toCopy("share-link", texts.share.link),
    el("h3", {}, texts.share.asText), toCopy("share-moves", texts.share.moves), toCopy("share-cells", texts.share.cells),
    el("h3", {}, texts.share.save),
    el("p", { class: "row" }, button("share-png", texts.share.png), button("share-svg", texts.share.svg),
      button("share-animation", texts.share.animation), button("share-log", texts.share.log)),
    el("form", { method: "dialog", class: "row" }, el("button", { class: "main" }, texts.share.close),
      button("share-system", texts.share.system, { hidden: !navigator.share }),
      el("span", { id: "share-note", class: "note", role: "status" })));
}
