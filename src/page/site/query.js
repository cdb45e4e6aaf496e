// A question to a bot's WebAssembly module, by its query API.

/** Returns the answer of a module with these exports. */
export function ask({ memory, alloc, ask: answer }, question) {
  const text = new TextEncoder().encode(JSON.stringify(question));
  const address = alloc(text.length);
  new Uint8Array(memory.buffer, address, text.length).set(text);
  const result = BigInt.asUintN(64, answer(address, text.length));
  const [at, length] = [Number(result >> 32n), Number(result & 0xffffffffn)];
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at, length)));
}
