// Sounds of the game, made by the browser itself: a stroke, captures that rise with the run, and
// the end. They are off until a person turns them on, which is kept in the browser's storage.
import { byId } from "../page/dom.js";
import { StoredValue } from "../scores/stored-value.js";
import { texts } from "../texts.js";

/** The pitches of a run of captures, in semitones above the first. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24];
const BASE_HZ = 330;

let context = null;
const kept = new StoredValue("sound", (stored) => stored === true);
let run = 0;
show();
kept.listen(show);
byId("sound").addEventListener("click", () => {
  const isOn = !kept.value;
  kept.update(() => isOn);
  show();
  if (kept.value) tone(0, 0, 0.12);
});

/** Plays the sound of a move, which led to `game`. `lost` is true if a person has lost with it. */
export function soundOf(game, lost) {
  const captures = game.captured.length;
  run = captures ? run + captures : 0;
  if (!kept.value) return;
  if (!captures) return knock();
  tone(SCALE[Math.min(run, SCALE.length) - 1], 0, 0.16);
  if (captures === 2) tone(SCALE[Math.min(run + 1, SCALE.length) - 1], 0.09, 0.24);
  if (!game.over) return;
  const end = lost ? [7, 4, 0] : game.margin(0) === 0 ? [4, 4, 4] : [0, 4, 7, 12];
  end.forEach((pitch, at) => tone(pitch, 0.45 + 0.13 * at, 0.3));
}

/** Plays a short knock, as of a pencil. */
function knock() {
  const { at, out } = voice(0, 0.05, 0.25);
  const noise = new OscillatorNode(context, { type: "triangle", frequency: 190 });
  noise.frequency.exponentialRampToValueAtTime(90, at + 0.05);
  noise.connect(out);
  noise.start(at);
  noise.stop(at + 0.08);
}

/** Plays a tone of so many semitones, `delay` seconds from now. */
function tone(semitones, delay, seconds) {
  const { at, out } = voice(delay, seconds, 0.14);
  const source = new OscillatorNode(context, { type: "sine", frequency: BASE_HZ * 2 ** (semitones / 12) });
  source.connect(out);
  source.start(at);
  source.stop(at + seconds + 0.05);
}

/** Returns a fading output and the time at which it begins. */
function voice(delay, seconds, loudness) {
  context ??= new AudioContext();
  context.resume();
  const at = context.currentTime + delay;
  const out = new GainNode(context, { gain: 0 });
  out.gain.setValueAtTime(0, at);
  out.gain.linearRampToValueAtTime(loudness, at + 0.008);
  out.gain.exponentialRampToValueAtTime(0.0008, at + seconds);
  out.connect(context.destination);
  return { at, out };
}

function show() {
  const button = byId("sound");
  button.textContent = kept.value ? texts.page.soundOn : texts.page.soundOff;
  button.title = kept.value ? texts.page.soundIsOn : texts.page.soundIsOff;
  button.setAttribute("aria-label", button.title);
}
