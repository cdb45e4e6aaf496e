// Why an edge is wrong, in words: what it gives away, what the opponent takes, and how many boxes
// that costs.
import { captures, offeredBoxes } from "./shapes.js";
import { texts } from "../texts.js";

/** The most moves of a game's end that are shown whole. */
const WHOLE = 12;

/**
 * Returns the states to show after a wrong edge: all if they end the game soon, else those up to the
 * end of the opponent's first turn that takes something.
 */
export function demonstrated(after, states, person) {
  if (states.at(-1)?.over && states.length <= WHOLE) return states;
  const end = turnsOf(after, states).find(({ seat, taken }) => seat !== person && taken > 0)?.end;
  return states.slice(0, end ?? WHOLE);
}

/**
 * Returns the turns of these states: whose, how many boxes it takes, how many it leaves to the other
 * player though it could take them, and the number of states up to its end.
 */
function turnsOf(after, states) {
  const turns = [];
  let before = after;
  states.forEach((state, at) => {
    const begins = at === 0 || !before.captured.length;
    if (begins) turns.push({ seat: before.mover, taken: 0, end: at });
    const turn = turns.at(-1);
    turn.taken += state.captured.length;
    turn.end = at + 1;
    turn.leaves = state.captured.length || !offeredBoxes(before).length ? 0 : offeredBoxes(state).length;
    before = state;
  });
  return turns;
}

/**
 * Explains a wrong edge. `states` are the expected moves after it, `known` is the analysis of the
 * position before it, and `result` that of the position after it, or null if that ends the game.
 */
export function reasonOf({ before, after, states, known, result }) {
  const person = before.mover;
  const turns = turnsOf(after, states);
  const cause = causeOf(before, after, known, result, turns);
  const reply = turns.find(({ seat }) => seat !== person);
  const effect = reply ? replyWords(1 - person, reply, offeredBoxes(after).length) : "";
  return [cause, effect, endWords(before, after, known, result)].filter(Boolean).join(" ");
}

/** Returns the states in which the opponent takes what an edge gives away, and nothing more. */
export function giftStates(after) {
  const edge = after.undrawn().find((candidate) => captures(after, candidate));
  if (edge === undefined) return [];
  const next = after.play(edge);
  return [next, ...giftStates(next)];
}

/** Explains an edge that gives boxes away, by the rules alone. */
export function giftReason(before, after) {
  const rival = 1 - before.mover;
  const gift = offeredBoxes(after).length;
  const wasHere = offeredBoxes(before).length > 0;
  const cause = wasHere ? texts.reasons.leaves(gift, rival) : gift === 1 ? texts.reasons.third : texts.reasons.gives(gift);
  const states = giftStates(after);
  return `${cause} ${texts.reasons.giftTaken(rival, { gift, wasHere, lines: states.length, isOver: states.at(-1).over })}`;
}

/** Returns what the edge itself does, as a sentence. */
function causeOf(before, after, known, result, turns) {
  const rival = 1 - before.mover;
  const here = offeredBoxes(before).length;
  const gift = offeredBoxes(after).length;
  if (after.captured.length) return after.over || gift ? texts.reasons.tooMuch : texts.reasons.mustMove(after.captured.length);
  if (here && gift > here) return texts.reasons.leavesMore(here, rival);
  if (here) return texts.reasons.leaves(gift, rival);
  if (gift) return openingWords(before, after, known, gift);
  if (result?.controls === rival) return texts.reasons.openLater;
  return turns[0]?.taken ? "" : texts.reasons.answered(rival);
}

/** Says what the edge opens. */
function openingWords(before, after, known, gift) {
  const beside = before.board.boxesOf(after.last);
  const through = (found) => found.boxes.some((box) => beside.includes(box));
  const loop = known.loops.find(through);
  if (loop) return texts.reasons.opensLoop(loop.length);
  const chain = known.chains.find(through);
  if (chain && chain.length === gift && gift > 1) return texts.reasons.opensChain(gift);
  return gift === 1 ? texts.reasons.thirdGives : texts.reasons.gives(gift);
}

/** Says what the opponent does in a turn. `gift` is what the edge gave away. */
function replyWords(seat, { taken, leaves }, gift) {
  if (leaves) return texts.reasons.keepsControl(seat, taken, leaves);
  if (!taken) return "";
  return taken === gift ? texts.reasons.takesAll(seat, taken) : texts.reasons.takes(seat, taken);
}

/** Says how the game then ends, and how many boxes the edge costs. */
function endWords(before, after, known, result) {
  const person = before.mover;
  const lead = result ? result.lower * (after.mover === person ? 1 : -1) : after.margin(person);
  const exact = known.lower === known.upper && (!result || result.lower === result.upper);
  if (!exact) return "";
  const boxes = (margin) => (before.board.boxes + margin) / 2;
  const size = Math.abs(lead);
  return texts.reasons.ending({
    person, winner: lead === 0 ? null : lead > 0 ? person : 1 - person, most: boxes(size), least: boxes(-size),
    cost: boxes(known.lower) - boxes(lead),
  });
}
