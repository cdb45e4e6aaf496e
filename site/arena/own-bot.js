// Bots that a person adds: modules that `doublecross export --form wasm` writes. A module gets no function
// of the page, so that it can compute and nothing else.
import { EXPORTS } from "../doublecross/bot.js";
import { texts } from "../texts.js";

/** The largest file that is read. */
const MOST_BYTES = 256 * 2 ** 20;

/** Returns a promise of the compiled module of a file. Throws an Error with the reason if it is no bot. */
export async function moduleOfFile(file) {
  if (file.size > MOST_BYTES) throw new Error(texts.arena.tooLarge);
  const bytes = await file.arrayBuffer();
  const module = await WebAssembly.compile(bytes).catch(() => {
    throw new Error(texts.arena.notWasm);
  });
  const [needed] = WebAssembly.Module.imports(module);
  if (needed) throw new Error(texts.arena.needs(`${needed.module}.${needed.name}`));
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const missing = EXPORTS.find((name) => !exported.has(name));
  if (missing) throw new Error(texts.arena.exportsNo(missing));
  return module;
}
