// Reads the answer to one JSON-RPC request from an HTTP body: JSON, or an event stream that is read until the answer
// has come. Source: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports (read 2026-11).
import { isRecord } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import { SseParser } from "../../shared/sse.ts";
import * as limits from "../limits.ts";
import { McpFailure } from "./failure.ts";
import { mcpLimits } from "./limits.ts";

export interface RpcAnswer {
  result?: unknown;
  error?: { code: number; message: string };
}

/** Throws McpFailure if there is none or it is too large; the rest of the body is not read. */
export async function readAnswer(response: Response, id: string): Promise<RpcAnswer> {
  const streams = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const events = new SseParser();
  let [text, chars] = ["", 0];
  // Leaving the loop cancels the body.
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    chars += part.length;
    if (chars > mcpLimits.answerChars)
      throw new McpFailure(
        `answered with more than ${mcpLimits.answerChars / 1_000_000} MB, and was cut off. Ask it for less.`,
        true,
      );
    if (!streams) text += part;
    else
      for (const { data } of events.push(part)) {
        const answer = answerIn(data, id);
        if (answer) return answer;
      }
  }
  const answer = streams ? undefined : answerIn(text, id);
  if (answer) return answer;
  throw new McpFailure(
    streams ? "ended its stream without an answer." : "answered with something that is not MCP.",
    true,
  );
}

/**
 * Servers may send requests and notifications of their own first. They need no answer, because we offer no features to
 * them.
 */
function answerIn(json: string, id: string): RpcAnswer | undefined {
  let said: unknown;
  try {
    said = JSON.parse(json);
  } catch {
    return undefined;
  }
  const answer = (Array.isArray(said) ? said : [said]).find((one) => isRecord(one) && one.id === id);
  if (!isRecord(answer) || isDeeperThan(answer, limits.jsonDepth)) return undefined;
  if (!isRecord(answer.error)) return "result" in answer ? { result: answer.result } : undefined;
  const { code, message } = answer.error;
  return {
    error: { code: Number(code), message: typeof message === "string" ? message : "no reason given" },
  };
}
