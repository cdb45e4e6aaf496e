// Runs a bot's WebAssembly module. The first message holds the compiled module. Every other message
// is a question `{id, question}`, which is answered by `{id, answer}` or `{id, error}`.
import { ask } from "./query.js";

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
