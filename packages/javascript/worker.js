// Runs a bot in a worker of a browser, so that a long search does not stop the page. The first message holds the compiled
// module. Every other message is a question `{id, question}`, which is answered by `{id, answer}` or, if the bot fails, by
// `{id, error}`.
import { Bot } from "./bot.js";

let loading = null;

onmessage = ({ data }) => {
  if (data.module) {
    loading = Bot.load(data.module);
    loading.catch(() => {}); // Each question reports the error.
    return;
  }
  loading.then((bot) => postMessage({ id: data.id, answer: bot.ask(data.question) }))
    .catch((error) => postMessage({ id: data.id, error: String(error?.message ?? error) }));
};
