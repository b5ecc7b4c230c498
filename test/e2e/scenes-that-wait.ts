// Prepared turns for the fake edge that end with an error or wait for a decision.
import type { TurnBody } from "../../shared/session/turn-request.ts";
import type { Played } from "./fake-edge.ts";
import { assistant, call, message, started } from "./scene-messages.ts";

function* begun(body: TurnBody): Iterable<Played> {
  const content = body.input.type === "message" ? body.input.text : "";
  yield started(body);
  yield message("user", { content, mode: "normal" });
}

/** The model wants to push, which needs approval. */
export function* asking(body: TurnBody): Iterable<Played> {
  yield* begun(body);
  const push = call("push", "run_command", { command: "git push --force origin HEAD:release" });
  yield assistant("normal", "The branch is ready.", [push]);
  const { name, arguments: args } = push;
  yield {
    event: "permission",
    data: {
      toolCallId: push.id,
      name,
      arguments: args,
      risk: "remote",
      why: "`git push` reaches another machine, and `--force` replaces what is there.",
    },
  };
  yield { event: "turn.done", data: { reason: "permission", rounds: 1 } };
}

/** The server died while a command ran. */
export function* mayHaveRun(body: TurnBody): Iterable<Played> {
  yield* begun(body);
  const install = call("install", "run_command", { command: "npm install sharp@latest" });
  yield assistant("normal", "", [install]);
  const { name, arguments: args } = install;
  yield {
    event: "permission",
    data: {
      toolCallId: install.id,
      name,
      arguments: args,
      risk: "outcome_unknown",
      why: "The server ended while `npm install` ran.",
      output: "added 12 packages\n",
    },
  };
  yield { event: "turn.done", data: { reason: "permission", rounds: 1 } };
}

export function* failing(body: TurnBody): Iterable<Played> {
  yield* begun(body);
  yield assistant("normal", "I look at the tests first.");
  const error = { code: "model_error", message: "The model answers 401: check OPENAI_API_KEY." } as const;
  yield { event: "turn.failed", data: { error } };
}

/** The model writes an answer that does not end until `end` resolves. */
export function* writing(body: TurnBody, end: Promise<unknown>): Iterable<Played> {
  yield* begun(body);
  const delta =
    "## What it is\n\nA gateway in front of **two services**.\n\n1. checks the token with `verify()`\n2. counts\n\n```ts\nreturn next(request);\n```\n\n| route | service |\n|---|---|\n| /pay | payments |\n\n> The limits stand in one file.\n\nAnd";
  yield { event: "text.delta", data: { messageId: "streamed", delta } };
  yield end;
  yield { event: "turn.done", data: { reason: "stop", rounds: 1 } };
}
