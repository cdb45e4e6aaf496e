// Plays observations with a bot's module: one observation on each line of stdin, one action on each
// line of stdout, and the milliseconds that each action took on stderr.
//
//     node play_module.mjs bot.wasm < observations
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
const { memory, alloc, act } = instance.exports;
const lines = readFileSync(0).toString("latin1").split("\n").filter((line) => line !== "");
for (const line of lines) {
  const before = performance.now();
  const bytes = Buffer.from(line, "latin1");
  const address = alloc(bytes.length);
  new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
  const result = BigInt.asUintN(64, act(address, bytes.length));
  const [at, length] = [Number(result >> 32n), Number(result & 0xffffffffn)];
  console.log(Buffer.from(memory.buffer, at, length).toString());
  console.error((performance.now() - before).toFixed(2));
}
