// The messages of the worker at `doublecross/worker.js`, which a page or a program may start by itself.
import type { Action, Observation } from "./index.js";

/** What the worker is sent: a compiled module first; then questions, observations, or neither to see that it runs. */
export type WorkerMessage =
  | { module: object }
  | { id: unknown; question: object }
  | { id: unknown; observation: Observation | string }
  | { id: unknown };

/** What the worker sends: the answer to a message with the same `id`, or the reason for which there is none. */
export type WorkerReply = { id: unknown; answer?: object | Action } | { id: unknown; error: string };
