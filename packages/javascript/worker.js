// Runs a bot in a worker of a browser, so that a long search does not stop the page. The first message holds the compiled
// module; another one with a module starts that in its place. Every other message is a question `{id, question}` or an
// arena's observation `{id, observation}`, which is answered by `{id, answer}` or, if the bot fails, by `{id, error}`. A
// message `{id}` alone is answered at once, which shows that the worker runs.
import { Bot } from "./bot.js";

let loading = null;

onmessage = ({ data }) => {
  const { id, module, question, observation } = data;
  if (module) {
    loading = Bot.load(module);
    loading.catch(() => {}); // Each question reports the error.
  } else if (question || observation) {
    loading.then((bot) => (observation ? bot.act(observation) : bot.ask(question)))
      .then((answer) => postMessage({ id, answer }))
      .catch((error) => postMessage({ id, error: String(error?.message ?? error) }));
  } else {
    postMessage({ id });
  }
};
