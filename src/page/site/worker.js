// Runs one bot's WebAssembly module away from the page. The first message brings the compiled module, every other one
// a question `{id, question}`, answered by `{id, answer}` or `{id, error}`.

let bot = null;

onmessage = ({ data }) => {
  if (data.module) {
    bot = WebAssembly.instantiate(data.module).then((instance) => instance.exports);
    bot.catch(() => {}); // told to whoever asks
    return;
  }
  bot.then((exports) => postMessage({ id: data.id, answer: ask(exports, data.question) }))
    .catch((error) => postMessage({ id: data.id, error: String(error?.message ?? error) }));
};

function ask({ memory, alloc, ask }, question) {
  const text = new TextEncoder().encode(JSON.stringify(question));
  const address = alloc(text.length);
  new Uint8Array(memory.buffer, address, text.length).set(text);
  const result = BigInt.asUintN(64, ask(address, text.length));
  const [at, length] = [Number(result >> 32n), Number(result & 0xffffffffn)];
  return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, at, length)));
}
