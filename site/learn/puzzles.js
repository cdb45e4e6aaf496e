// The puzzles: positions of 5x5 and other boards in which one move wins, or several lines that come to the
// same, read from a file.
import { fetchFile } from "../page/connection.js";
import { boundsOf } from "./grader.js";
import { gamesOfFragment } from "../share/notation.js";
import { LEVELS } from "../play/strengths.js";
import { texts } from "../texts.js";

const FILE = "puzzles.json";
const FORMAT = 1;

/** The budgets of the grader in a rush, in which answers have to be quick. */
const BUDGETS_IN_RUSH = 2;

/** Reads the text of a puzzle file: the puzzles, and how many damaged ones were left out. */
export function readPuzzles(text) {
  const file = JSON.parse(text);
  if (file?.format !== FORMAT || !Array.isArray(file.puzzles)) throw new Error(texts.learn.notPuzzles);
  const puzzles = file.puzzles.map(readPuzzle).filter(Boolean);
  if (!puzzles.length) throw new Error(texts.learn.noSoundPuzzle);
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

/** Says what is to be done. */
export const puzzleWords = ({ games, edges }) => texts.learn.puzzle(games.at(-1).mover, edges.length);

/** Describes what the solution is worth. */
export const solutionWords = ({ edges, margin, next }) => texts.learn.worth(edges.length, margin, -next);
