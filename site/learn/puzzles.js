// The puzzles: positions of 5x5 and other boards in which one move wins, or several lines that come to the
// same, read from a file.
import { fetchFile } from "../page/connection.js";
import { count } from "../page/dom.js";
import { boundsOf } from "./grader.js";
import { gamesOfFragment } from "../share/notation.js";
import { LEVELS } from "../play/strengths.js";
import { COLORS } from "../play/table.js";

const FILE = "puzzles.json";
const FORMAT = 1;

/** The budgets of the grader in a rush, in which answers have to be quick. */
const BUDGETS_IN_RUSH = 2;

/** A hint for each theme. */
export const THEMES = {
  take: "There are boxes on offer. Think about which of them you want.",
  control: "Think of control: it may pay to leave boxes to the other player.",
  safe: "One safe line is better than the others. Count the long chains.",
  sacrifice: "A box given away at the right time changes who is in control.",
  open: "You have to open something. Think about what, and where.",
};

/** Reads the text of a puzzle file: the puzzles, and how many damaged ones were left out. */
export function readPuzzles(text) {
  const file = JSON.parse(text);
  if (file?.format !== FORMAT || !Array.isArray(file.puzzles)) throw new Error("it is not a puzzle file of this page");
  const puzzles = file.puzzles.map(readPuzzle).filter(Boolean);
  if (!puzzles.length) throw new Error("there is no sound puzzle in it");
  return { puzzles, damaged: file.puzzles.length - puzzles.length };
}

/** Reads one puzzle, as `{games, edges, margin, next, level, theme}`, or returns null if it is damaged. */
function readPuzzle(entry) {
  try {
    const { game, edges, margin, next, level, theme } = entry;
    const games = gamesOfFragment(`#${game}`);
    const last = games.at(-1);
    const winning = edges.map((name) => last.board.edge(name));
    const sound = winning.length > 0 && winning.length < last.undrawn().length
      && winning.every((edge) => last.legal(edge)) && [margin, next, level].every(Number.isInteger)
      && margin > 0 && next <= 0
      && level >= 1 && level <= LEVELS.length;
    return sound ? { id: game, games, edges: winning, margin, next, level, theme } : null;
  } catch {
    return null;
  }
}

/** Loads the puzzles, once. A failed attempt is not kept. */
export class PuzzleFile {
  load() {
    this.loading ??= fetchFile(FILE, { cache: "no-cache" }).then(async (response) => readPuzzles(await response.text()));
    this.loading.catch(() => (this.loading = null));
    return this.loading;
  }
}

/**
 * Returns the task of a puzzle, for an exercise. The listed edges are right, and so is every other
 * one that the solver proves to win.
 */
export function puzzleTask(puzzle, silent = false) {
  return {
    games: puzzle.games,
    silent,
    async grade(grader, game, edge) {
      if (puzzle.edges.includes(edge)) return true;
      const isDecided = (result) => {
        const { lower, upper } = boundsOf(game, result, edge);
        return lower > 0 || upper <= 0;
      };
      const result = await grader.analyze(game, isDecided, silent ? BUDGETS_IN_RUSH : undefined);
      return boundsOf(game, result, edge).lower > 0;
    },
    isOver: () => true,
  };
}

/** Describes the difficulty of a puzzle: the first level that finds the solution. */
export const levelWords = ({ level }) => `level ${level} (${LEVELS[level - 1].name})`;

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

const numberWord = (number) => NUMBERS[number] ?? String(number);

/** Says what is to be done. */
export function puzzleWords({ games, edges }) {
  const number = numberWord(edges.length);
  const task = edges.length === 1 ? "Only one line wins. Find it."
    : `${number[0].toUpperCase()}${number.slice(1)} lines win equally. Find one.`;
  return `You are ${COLORS[games.at(-1).mover]}. ${task}`;
}

/** Describes what the solution is worth. */
export function solutionWords({ edges, margin, next }) {
  const wins = `With best play, it wins by ${count(margin, "box", "boxes")}`;
  const most = -next;
  if (edges.length === 1) {
    return `${wins}. ${most ? `Every other line loses by ${most} or more.` : "No other line gets more than a tie."}`;
  }
  const more = numberWord(edges.length - 1);
  const others = edges.length === 2 ? "the other equivalent line" : `the other ${more} equivalent lines`;
  const rest = most ? `All others lose by ${most} or more.` : "No other line gets more than a tie.";
  return `${wins}, like ${others}. ${rest}`;
}
