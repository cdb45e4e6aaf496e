// Why an edge is wrong, in words: what it gives away, what the opponent takes, and how many boxes
// that costs.
import { count } from "../page/dom.js";
import { captures, offeredBoxes } from "./shapes.js";
import { COLORS } from "../play/table.js";

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
  const opponent = COLORS[1 - before.mover];
  const gift = offeredBoxes(after).length;
  const here = offeredBoxes(before).length;
  const cause = here ? `You leave ${count(gift, "box", "boxes")} to ${opponent}.`
    : gift === 1 ? "This is the third side of a box." : `This gives ${gift} boxes away.`;
  const states = giftStates(after);
  const all = gift > 2 ? `all ${gift}` : "both";
  const takes = gift === 1 ? `closes ${here ? "it" : "the box"}`
    : states.length === 1 ? "closes both with one line" : `takes ${all} in a row`;
  return `${cause} ${opponent} ${takes}${states.at(-1).over ? "." : " and moves again."}`;
}

/** Returns what the edge itself does, as a sentence. */
function causeOf(before, after, known, result, turns) {
  const opponent = COLORS[1 - before.mover];
  const here = offeredBoxes(before).length;
  if (after.captured.length) {
    if (after.over || offeredBoxes(after).length) return "That takes too much: you can no longer keep control.";
    const taken = count(after.captured.length, "box", "boxes");
    return `You take ${taken}, but now you have to move and give something away.`;
  }
  const gift = offeredBoxes(after).length;
  if (here && gift > here) return `You leave ${count(here, "box", "boxes")} to ${opponent}, and give more away.`;
  if (here) return `You leave ${count(gift, "box", "boxes")} to ${opponent}.`;
  if (gift) return openingWords(before, after, known, gift);
  const first = turns[0];
  if (result?.controls === 1 - before.mover) {
    return "This gives nothing away yet, but in the end you will have to open the first long chain.";
  }
  return first?.taken ? "" : `This gives nothing away yet, but ${opponent} has a good answer.`;
}

/** Says what the edge opens. */
function openingWords(before, after, known, gift) {
  const beside = before.board.boxesOf(after.last);
  const through = (found) => found.boxes.some((box) => beside.includes(box));
  const loop = known.loops.find(through);
  if (loop) return `This opens the loop of ${loop.length}.`;
  const chain = known.chains.find(through);
  if (chain && chain.length === gift && gift > 1) return `This opens the chain of ${gift}.`;
  return gift === 1 ? "This is the third side of a box, which gives it away." : `This gives ${gift} boxes away.`;
}

/** Says what the opponent does in a turn. `gift` is what the edge gave away. */
function replyWords(seat, { taken, leaves }, gift) {
  const name = COLORS[seat];
  if (leaves) return `${name} ${taken ? `takes ${taken}, ` : ""}declines the last ${leaves} and keeps control.`;
  if (!taken) return "";
  if (taken !== gift) return `${name} takes ${count(taken, "box", "boxes")}.`;
  return `${name} takes ${taken === 1 ? "it" : taken === 2 ? "both" : `all ${taken}`}.`;
}

/** Says how the game then ends, and how many boxes the edge costs. */
function endWords(before, after, known, result) {
  const person = before.mover;
  const lead = result ? result.lower * (after.mover === person ? 1 : -1) : after.margin(person);
  const exact = known.lower === known.upper && (!result || result.lower === result.upper);
  if (!exact) return "";
  const boxes = (margin) => (before.board.boxes + margin) / 2;
  const cost = boxes(known.lower) - boxes(lead);
  const score = `${Math.max(boxes(lead), boxes(-lead))} to ${Math.min(boxes(lead), boxes(-lead))}`;
  const winner = COLORS[lead > 0 ? person : 1 - person];
  const end = lead === 0 ? "the game ends in a tie" : lead > 0 ? `you win only ${score}` : `${winner} wins ${score}`;
  return `From here, with best play, ${end}. That costs you ${count(cost, "box", "boxes")}.`;
}
