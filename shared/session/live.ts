// Folds ephemeral events: the state of the running turn, which is never stored.
import type { EphemeralEvent } from "../event.ts";
import type { LiveOutput, LiveState, PartialMessage } from "./session-state.ts";
import { skipUtf8Bytes, utf8Length } from "./utf8.ts";

/** Characters of live output kept per call: a screen shows the newest lines, the result has the rest. */
export const maxLiveOutputChars = 16_000;

/** Said in the output where a part of it did not come. */
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
      // Each check prints from its own beginning.
      const output =
        started.check && before && live.started[toolCallId]?.at !== started.at ? others : live.output;
      return { ...live, output, started: { ...live.started, [toolCallId]: started } };
    }
    case "tool.ended": {
      const { toolCallId, outOfTime } = event.data;
      const { [toolCallId]: begun, ...started } = live.started;
      // Its call is open until the message comes.
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
    case "model.wait":
      return { ...live, wait: event.data };
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

/** Another message id means another sampling: what came before was never completed. */
function partialOf(live: LiveState, messageId: string): PartialMessage {
  return live.partial?.messageId === messageId ? live.partial : { messageId, text: "", reasoning: "" };
}

/**
 * Bytes that were shown already, after a reconnection, are left out. Where bytes are missing, a line says so: it is not
 * known how many lines they were.
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
