// Runs a bot in a worker of a browser or of node, so that a long search does not stop the rest. The first message holds the
// compiled module; another one with a module starts that in its place. Every other message is a question `{id, question}` or
// an arena's observation `{id, observation}`, which is answered by `{id, answer}` or, if the bot fails, by `{id, error}`. A
// message `{id}` alone is answered at once, which shows that the worker runs.
import { Bot } from "./bot.js";

/** Node's module of workers. Tools that bundle for browsers do not follow a name in a constant. */
const THREADS = "node:worker_threads";

let loading = null;

/** Handles a message, and sends the answer by `reply`. */
function handle({ id, module, question, observation }, reply) {
  if (module) {
    loading = Bot.load(module);
    loading.catch(() => {}); // Each question reports the error.
  } else if (question || observation) {
    loading.then((bot) => (observation ? bot.act(observation) : bot.ask(question)))
      .then((answer) => reply({ id, answer }))
      .catch((error) => reply({ id, error: String(error?.message ?? error) }));
  } else {
    reply({ id });
  }
}

if (typeof postMessage === "function") {
  onmessage = ({ data }) => handle(data, (message) => postMessage(message));
} else {
  const { parentPort } = await import(THREADS);
  parentPort.on("message", (data) => handle(data, (message) => parentPort.postMessage(message)));
}
