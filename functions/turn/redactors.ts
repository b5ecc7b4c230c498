// Removes secrets from the texts of a turn and from a model's answer while it streams: the text shown is the text stored.
import { createRedactor, type Redactor } from "../../shared/redact/redactor.ts";
import type { Deps } from "../deps.ts";
import type { ModelEvent } from "../model/model-event.ts";

export interface Redactors {
  /** Removes known forms of secrets, and our own. */
  all: Redactor;
  /** Removes only our own secrets and the person's key, which the sandbox does not know. */
  own: Redactor;
}

/** `apiKey`: the person's own, if their request brought one. `more`: their tokens for MCP servers. */
export function redactorsOf(
  { secrets }: Pick<Deps, "secrets">,
  apiKey: string | undefined,
  more: readonly string[] = [],
): Redactors {
  const values = [...secrets, ...more, ...(apiKey ? [apiKey] : [])];
  return { all: createRedactor(values), own: createRedactor(values, "values") };
}

/**
 * Maps each event of an answer to events with marks in place of secrets. A delta that may be the beginning of a secret
 * is held back. In arguments of calls only our own secrets are redacted: a model must be able to write a made-up key
 * into a test.
 */
export function answerRedaction(all: Redactor, own: Redactor): (event: ModelEvent) => ModelEvent[] {
  let text = all.stream();
  let reasoning = all.stream();
  /**
   * Redacting signed details would break their signature: they are kept whole or dropped. Opaque blobs in them may look
   * like secrets, so only readable text is checked against every rule.
   */
  const withThought = (end: EndEvent): EndEvent => {
    const { thought: { details, ...rest } = {}, ...event } = end;
    if (details === undefined) return end;
    const said = details.flatMap(({ text, summary, thinking }) => [text, summary, thinking]);
    const clean = isClean(details, own) && isClean(said, all);
    return { ...event, thought: clean ? { ...rest, details } : rest };
  };
  return (event) => {
    switch (event.type) {
      case "text":
        return delta("text", text.push(event.delta));
      case "reasoning":
        return delta("reasoning", reasoning.push(event.delta));
      case "call": {
        const { extra, ...call } = event.call;
        const sent = { ...call, arguments: own.redact(call.arguments) };
        return [{ ...event, call: extra && isClean(extra, own) ? { ...sent, extra } : sent }];
      }
      case "retry":
        text = all.stream();
        reasoning = all.stream();
        return [event];
      case "end":
        return [
          ...delta("reasoning", reasoning.end()),
          ...delta("text", text.end()),
          withThought({ ...event, text: all.redact(event.text), reasoning: all.redact(event.reasoning) }),
        ];
      default:
        return [event];
    }
  };
}

type EndEvent = Extract<ModelEvent, { type: "end" }>;

function isClean(value: unknown, redactor: Redactor): boolean {
  const text = JSON.stringify(value);
  return redactor.redact(text) === text;
}

function delta(type: "text" | "reasoning", shown: string): ModelEvent[] {
  return shown === "" ? [] : [{ type, delta: shown }];
}
