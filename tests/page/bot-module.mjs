// WebAssembly modules of bots that behave badly.

/** The bodies of functions that trap, and that never return. */
const BODIES = { trap: [0x00], loop: [0x03, 0x40, 0x0c, 0x00, 0x0b, 0x00] };

const bytesOf = (text) => [...new TextEncoder().encode(text)];

/** A number in as few bytes as WebAssembly has for it, which are the same for a signed one below 64. */
function number(value) {
  const bytes = [];
  for (; value > 127; value >>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

const list = (items) => [...number(items.length), ...items.flat()];
const sized = (bytes) => [...number(bytes.length), ...bytes];
const section = (id, items) => [id, ...sized(list(items))];

/**
 * Returns the bytes of a module that answers each call with a text of less than 64 bytes, or that does what a
 * name of `BODIES` says. It needs `imported`, as a module's and a function's name, and has these `exports`.
 */
export function botModule(answer, { imported = [], exports = ["memory", "alloc", "act", "ask"] } = {}) {
  const [i32, i64] = [0x7f, 0x7e];
  const text = bytesOf(answer);
  // The text stands at address 0, so that the result is its length.
  const call = BODIES[answer] ?? [0x42, text.length];
  const body = (code) => sized([0, ...code, 0x0b]);
  const first = imported.length ? 1 : 0;
  const indices = { memory: [2, 0], alloc: [0, first], act: [0, first + 1], ask: [0, first + 2] };
  return Uint8Array.from([
    ...bytesOf("\0asm"), 1, 0, 0, 0,
    ...section(1, [[0x60, ...list([[i32]]), ...list([[i32]])], [0x60, ...list([[i32], [i32]]), ...list([[i64]])]]),
    ...(first ? section(2, [[...imported.flatMap((name) => sized(bytesOf(name))), 0, 0]]) : []),
    ...section(3, [[0], [1], [1]]),
    ...section(5, [[0, 1]]),
    ...section(7, exports.map((name) => [...sized(bytesOf(name)), ...indices[name]])),
    // New texts are written behind the one that is answered.
    ...section(10, [body([0x41, 0x80, 0x08]), body(call), body(call)]),
    ...section(11, [[0, 0x41, 0, 0x0b, ...sized(BODIES[answer] ? [] : text)]]),
  ]);
}
