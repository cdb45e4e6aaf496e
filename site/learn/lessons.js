// The steps of the course, in order. `node tests/page/lessons.mjs --draw` draws their positions and
// checks them.
import { texts } from "../texts.js";

/**
 * Each has an `id`, with its texts; a `game` as in an address, whose mover is the person; the `goal`, a key of GOALS, and
 * where it `ends`, a key of ENDS.
 */
export const LESSONS = [
  { id: "close", game: "2x2/000206030104", goal: "take", ends: "taken" },
  { id: "third", game: "3x3/090n0g00010b020c", goal: "safe", ends: "answer" },
  { id: "gift", game: "3x3/030a070i0806020e0c00", goal: "careful", ends: "turn" },
  { id: "last", game: "3x3/090f0j0e0b000l0i0a0n0h0d", goal: "best", ends: "answer" },
  { id: "chain", game: "2x2/0008050201040b06", goal: "best", ends: "over" },
  { id: "opening", game: "3x3/020g0a0c040n0508030k0907", goal: "best", ends: "answer" },
  { id: "shortest", game: "3x3/0a0g02040k030l080i0d0f0b", goal: "best", ends: "answer" },
  { id: "decline", game: "3x3/0204010b0a09050j0n0c030706000d", goal: "best", ends: "answer" },
  { id: "control", game: "3x3/0a0f0b0g00020k0l080i0304010c", goal: "best", ends: "over" },
  { id: "enough", game: "3x3/080h04010a0k0l03000g0i0m0709060f020c", goal: "best", ends: "over" },
  { id: "loop", game: "3x4/0g0s0i0601030p040l0d000k0q050f0e0n0c0h0b0m", goal: "best", ends: "over" },
  { id: "middle", game: "3x3/0300060m0j0a090e040f0n0i", goal: "best", ends: "answer" },
  { id: "count", game: "3x3/0f0206010k0n0d070i0a0g0c", goal: "best", ends: "answer" },
  { id: "cut", game: "3x3/0f0l06030i00040e0j0n", goal: "best", ends: "answer" },
  { id: "noloop", game: "3x3/05090j0h040f0l0g0c010n00", goal: "best", ends: "answer" },
  { id: "sacrifice", game: "3x3/000b0a010m0f02030k0g0j09", goal: "best", ends: "answer" },
  { id: "ending", game: "3x3/0i020l0j0104060g0n0a", goal: "win", ends: "over" },
].map((lesson) => ({ ...lesson, ...texts.learn.lessons[lesson.id] }));
