// Compares the arrival of each token of a streamed answer with the moment when its provider wrote it.
import { request } from "node:http";
import { SseParser } from "../../shared/sse.ts";
import type { AskInit, Stage } from "./model-stage.ts";

/** Milliseconds from the provider's write of each token to its arrival here, by this process's clock. */
export function delaysOf(stage: Stage, url: string, init: AskInit): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const arrivals: { chars: number; at: number }[] = [];
    let chars = 0;
    const outgoing = request(url, { method: init.method, headers: init.headers ?? {} }, (response) => {
      const parser = new SseParser();
      const decoder = new TextDecoder();
      response.on("data", (bytes: Buffer) => {
        const at = performance.now();
        for (const { data } of parser.push(decoder.decode(bytes, { stream: true })))
          chars += textOf(data).length;
        if (chars > (arrivals.at(-1)?.chars ?? 0)) arrivals.push({ chars, at });
      });
      response.on("end", () => resolve(delays(stage, arrivals)));
    });
    outgoing.on("error", reject);
    outgoing.end(init.body);
  });
}

/** The text in an event of the provider or of ours. */
function textOf(data: string): string {
  if (data === "[DONE]") return "";
  const { choices, delta } = JSON.parse(data) as {
    choices?: { delta: { content?: string } }[];
    delta?: string;
  };
  return choices?.[0]?.delta.content ?? delta ?? "";
}

/** A token has arrived once its whole text has. */
function delays({ written }: Stage, arrivals: readonly { chars: number; at: number }[]): number[] {
  let chars = 0;
  let next = 0;
  return written.map(({ text, at }) => {
    chars += text.length;
    while ((arrivals[next]?.chars ?? Infinity) < chars) next += 1;
    const arrival = arrivals[next];
    if (!arrival) throw new Error("a token never came");
    return arrival.at - at;
  });
}

/** `share`: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
