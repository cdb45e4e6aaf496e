// What the analysis says about each edge: the boxes that it costs against the best one, and the
// chains and loops with what it costs to open them.
import { edgesAround, undrawnSides } from "../analysis/shapes.js";
import { texts } from "../texts.js";

/** Costs below this number of boxes are within the error of an estimate. */
const SAME = 0.13;
/** The costs in boxes from which an edge is a little worse, worse and much worse than the best. */
const GRADES = [SAME, 0.5, 1.5];

/**
 * Returns the final margin of a position or an edge for the player to move, as `{margin, exact}`:
 * the proved one, or else the expected one, which is null if there is none.
 */
export function knownMargin({ lower, upper, expected }) {
  const exact = lower === upper;
  return { margin: exact ? lower : expected, exact };
}

/**
 * Returns the cost of each edge whose value is known, by edge, as `{cost, exact, margin, grade,
 * words}`. `cost` is the number of boxes that the player to move owns less at the end, half of the
 * loss of margin; `margin` is that player's final margin, and `grade` is 0 for the best edges to 3
 * for the worst.
 */
export function costsOfEdges(game, result) {
  const values = result.edges.flatMap((entry) => {
    const { margin, exact } = knownMargin(entry);
    return margin === null ? [] : [{ edge: game.board.edge(entry.edge), margin, exact }];
  });
  const isExact = result.lower === result.upper;
  // An edge that is proved to be worse than an estimate is no better for it.
  const best = isExact ? result.lower : Math.max(...values.map(({ margin }) => margin));
  return new Map(values.map(({ edge, margin, exact }) => {
    const proved = exact && isExact;
    const cost = Math.max(0, best - margin) / 2;
    const grade = GRADES.filter((least) => cost >= least).length;
    const words = grade === 0 ? texts.board.asGood(proved) : texts.board.costs(cost, proved);
    return [edge, { cost, exact: proved, margin, grade, words }];
  }));
}

/** The least boxes of a chain that is worth a tint. */
const LEAST_LENGTH = 2;

/** Returns the number of single boxes with two lines, which `groupsOf` leaves out. */
export const countSingles = (result) => result.chains.filter(({ length }) => length < LEAST_LENGTH).length;

/**
 * Returns true if an edge opens the chain with these boxes: it takes no box, and is no line between
 * the chain and boxes on offer, which may be there to leave them.
 */
function opens(game, edge, boxes) {
  const open = (box) => undrawnSides(game, box).length;
  return game.board.boxesOf(edge).every((box) => open(box) > 1 && (boxes.includes(box) || open(box) > 2));
}

/**
 * Returns the chains of two boxes and more and the loops, as `{boxes, length, isLoop, edges, cost}`, the
 * longest first, with their undrawn edges and the least cost of opening them, or null if no cost is
 * known. Boxes that can be taken now belong to none.
 */
export function groupsOf(game, result, costs) {
  const group = (isLoop) => ({ boxes, length }) => {
    const edges = [...edgesAround(game, boxes)];
    const known = edges.filter((edge) => opens(game, edge, boxes)).flatMap((edge) => costs.get(edge) ?? []);
    const cost = known.reduce((least, next) => (least === null || next.cost < least.cost ? next : least), null);
    return { boxes, length, isLoop, edges, cost };
  };
  const chains = result.chains.filter(({ length }) => length >= LEAST_LENGTH);
  const groups = [...chains.map(group(false)), ...result.loops.map(group(true))];
  return groups.sort((one, other) => other.length - one.length);
}
