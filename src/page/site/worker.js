// Runs a bot's WebAssembly module. The first message holds the compiled module. Every other message
// is a question `{id, question}`, which is answered by `{id, answer}` or `{id, error}`.

let bot = null;

onmessage = ({ data }) => {
  if (data.module) {
    bot = WebAssembly.instantiate(data.module).then((instance) => instance.exports);
    bot.catch(() => {}); // Each question reports the error.
    return;
  }
  bot.then((exports) => postMessage({ id: data.id, answer: ask(exports, data.question) }))
    .catch((error) => postMessage({ id: data.id, error: String(error?.message ?? error) }));
};

/** Calls the module's query API. */
function ask({ memory, alloc, ask }, question) {
  const text = new TextEncoder().encode(JSON.stringify(question));
  const address = alloc(text.length);
  new Uint8Array(memory.buffer, address, text.length).set(text);
  const result = BigInt.asUintN(64, ask(address, text.length));
  const [at, length] = [Number(result >> 32n), Number(result & 0xffffffffn)];
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at, length)));
}
