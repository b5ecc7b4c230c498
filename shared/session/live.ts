// Applies ephemeral events to the live state of the running turn, which is never stored.
import type { EphemeralEvent } from "../event.ts";
import type { LiveOutput, LiveState, PartialMessage } from "./session-state.ts";
import { skipUtf8Bytes, utf8Length } from "./utf8.ts";

/**
 * How many characters of live output to keep for each call. A screen shows only the newest lines, and the result has
 * all of it.
 */
export const maxLiveOutputChars = 16_000;

/** Shown within the output at a place where some of it was not received. */
const missingLine = "… some lines are not shown here; they come with the result";

export function reduceLive(live: LiveState, event: EphemeralEvent): LiveState {
  switch (event.event) {
    case "text.delta": {
      const partial = partialOf(live, event.data.messageId);
      return { ...live, interrupted: null, partial: { ...partial, text: partial.text + event.data.delta } };
    }
    case "reasoning.delta": {
      const partial = partialOf(live, event.data.messageId);
      return {
        ...live,
        interrupted: null,
        partial: { ...partial, reasoning: partial.reasoning + event.data.delta },
      };
    }
    case "tool.call": {
      const others = live.calls.filter((call) => call.toolCallId !== event.data.toolCallId);
      return { ...live, calls: [...others, event.data] };
    }
    case "tool.started": {
      const { toolCallId, ...started } = event.data;
      const { [toolCallId]: before, ...others } = live.output;
      // The output of each check starts empty.
      const output =
        started.check && before && live.started[toolCallId]?.at !== started.at ? others : live.output;
      return { ...live, output, started: { ...live.started, [toolCallId]: started } };
    }
    case "tool.ended": {
      const { toolCallId, outOfTime } = event.data;
      const { [toolCallId]: begun, ...started } = live.started;
      // The call stays open until its message arrives.
      if (outOfTime && begun)
        return { ...live, started: { ...started, [toolCallId]: { ...begun, outOfTime } } };
      const { [toolCallId]: _printed, ...output } = live.output;
      return { ...live, output, started };
    }
    case "tool.output": {
      const { toolCallId, stream, offset, text } = event.data;
      const output = appendOutput(live.output[toolCallId], stream, offset, text);
      return { ...live, output: { ...live.output, [toolCallId]: output } };
    }
    case "model.wait": {
      // The model is asked again only after the calls of its last answer have ended, even if the messages of that answer
      // and of its calls arrive later.
      const partial = live.partial && { ...live.partial, whole: true };
      return { ...live, partial, calls: [], wait: event.data };
    }
    case "context":
      return { ...live, context: event.data };
    case "usage": {
      const { inputTokens, outputTokens, cachedTokens } = live.usage;
      return {
        ...live,
        usage: {
          inputTokens: inputTokens + event.data.inputTokens,
          outputTokens: outputTokens + event.data.outputTokens,
          cachedTokens: cachedTokens + event.data.cachedTokens,
        },
      };
    }
    case "diagnostic": {
      const key = `${event.data.provider}/${event.data.model}`;
      const old = live.malformed[key] ?? { repaired: 0, returned: 0 };
      const count = event.data.repaired
        ? { ...old, repaired: old.repaired + 1 }
        : { ...old, returned: old.returned + 1 };
      return { ...live, malformed: { ...live.malformed, [key]: count } };
    }
    case "interrupted":
      return { ...live, interrupted: event.data.error };
    case "gap":
      return live;
  }
}

/** A new message id means that the model is being sampled again: the earlier partial message was never completed. */
function partialOf(live: LiveState, messageId: string): PartialMessage {
  const { partial } = live;
  return {
    text: "",
    reasoning: "",
    ...(partial?.messageId === messageId && partial),
    messageId,
    whole: false,
  };
}

/**
 * Appends output without bytes that were already shown before a reconnection. If bytes are missing, a line says so; how
 * many lines are missing is unknown.
 */
function appendOutput(
  old: LiveOutput | undefined,
  stream: "stdout" | "stderr",
  offset: number,
  text: string,
): LiveOutput {
  const output = old ?? { text: "", cut: false, next: { stdout: 0, stderr: 0 } };
  const end = offset + utf8Length(text);
  if (end <= output.next[stream]) return output;
  const fresh = skipUtf8Bytes(text, output.next[stream] - offset);
  const missing = offset > output.next[stream];
  const whole = missing ? `${onOwnLine(output.text)}${missingLine}\n${fresh}` : output.text + fresh;
  const over = whole.length > maxLiveOutputChars;
  return {
    text: over ? whole.slice(-maxLiveOutputChars) : whole,
    cut: output.cut || over,
    next: { ...output.next, [stream]: end },
  };
}

function onOwnLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
