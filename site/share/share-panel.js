// The dialog that shares a game: its link, its moves as text, and pictures and a match log to save.
import { boardSvg, gameSvg } from "../doublecross/svg.js";
import { byId, el, save } from "../page/dom.js";
import { writeGame } from "./match-log.js";
import { fragmentOf } from "./notation.js";
import { shareDialog } from "./share-dialog.js";
import { COLORS, PERSON, RECORDED } from "../play/table.js";

/** The pixels of a picture for each of its drawing. */
const SCALE = 2;

/** What can be copied, by the ids of the fields. */
const SUBJECTS = { "share-link": "the link", "share-moves": "the moves", "share-cells": "the cells" };

const SVG_TYPE = "image/svg+xml";

export class SharePanel {
  constructor() {
    this.table = null;
    /** The states of the game that is shared. */
    this.games = [];
    /** A promise of the picture as PNG. */
    this.picture = null;
    document.body.append(shareDialog(SUBJECTS));
    const actions = {
      "share-system": () => this.system(),
      "share-svg": () => save(`${this.name}.svg`, this.drawing, SVG_TYPE),
      "share-png": () => this.savePicture(),
      "share-animation": () => save(`${this.name}-moves.svg`, gameSvg(this.games, this.options), SVG_TYPE),
      "share-log": () => save(`${this.name}.jsonl`, this.log, "application/jsonl"),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
    for (const id of Object.keys(SUBJECTS)) byId(`${id}-copy`).addEventListener("click", () => copy(id));
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
    image.alt = `The position: ${this.options.names.map((name, seat) => `${name} ${this.table.game.scores[seat]}`).join(", ")}`;
    try {
      await image.decode();
      return await pictureOf(image);
    } catch (error) {
      note(`This browser cannot draw the picture (${error.message}). Save it as SVG instead.`);
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
    const link = { title: "Dots and Boxes", url: byId("share-link").value };
    const picture = await this.picture;
    const both = { ...link, files: picture ? [new File([picture], `${this.name}.png`, { type: "image/png" })] : [] };
    try {
      await navigator.share(picture && navigator.canShare?.(both) ? both : link);
    } catch (error) {
      if (error.name !== "AbortError") note(`The system cannot share this (${error.message}). Copy the link instead.`);
    }
  }
}

const withoutEnd = (name) => (name.endsWith(RECORDED) ? name.slice(0, -RECORDED.length) : name);

/** Returns the name of a seat's player in a picture. */
function nameOf({ id, name, called }, seat) {
  return called ?? (id === PERSON ? COLORS[seat] : withoutEnd(name));
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
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no PNG"))), "image/png"));
}

/** Copies the text of a field. */
async function copy(id) {
  byId(id).select();
  try {
    await navigator.clipboard.writeText(byId(id).value);
    note(`Copied ${SUBJECTS[id]}.`);
  } catch {
    note(`This browser does not let the page copy: copy ${SUBJECTS[id]} from the field.`);
  }
}

function note(words) {
  byId("share-note").textContent = words;
}
