import type { Game } from "./rules.js";

export interface DrawingOptions {
  /** The players' names, of which as much is drawn as there is room for: Blue and Orange unless told. */
  names?: readonly [string, string];
  /** True for a dark ground: false unless told. */
  dark?: boolean;
}

/** Returns the drawing of a position as the text of an SVG file: the board, and the players' names and scores. */
export function boardSvg(game: Game | string, options?: DrawingOptions): string;
/**
 * Returns the text of an SVG file that plays the moves between the first and the last of these states again and again, as
 * `Game.replay` returns them. Where the system asks for less motion it shows the last state.
 */
export function gameSvg(states: readonly Game[], options?: DrawingOptions): string;
