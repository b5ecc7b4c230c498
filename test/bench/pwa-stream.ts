// A turn whose tokens arrive at the requested speed, to show the app under load.
import { setTimeout as sleep } from "node:timers/promises";
import type { FakeEdge, Played } from "../e2e/fake-edge.ts";
import { assistant, call, message, result, started } from "../e2e/scene-messages.ts";

export interface TokenStream {
  /** Sends `perSecond` tokens a second for `seconds` seconds. */
  tokens(perSecond: number, seconds: number): Promise<void>;
  /**
   * Sends `count` rounds of `tokens` tokens and one command each, as fast as the app reads them, and then the
   * end.
   */
  rounds(count: number, tokens: number, ending: string): Promise<void>;
  /** Sends the answer as a message that ends with these words, and the end of the turn. */
  end(ending: string): void;
}

/** Texts that arrive between two frames: each text is rendered many times, as when tokens come one by one. */
const burst = 60;
const frameMs = 16;

const words = "The limiter counts requests for each token, and `verify()` knows the token. ".split(" ");

/** Lets the next turn of `edge` play the given events one by one. */
export function streamFor(edge: FakeEdge): TokenStream {
  const waiting: Played[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  let turn = "";
  const put = (...played: Played[]) => {
    waiting.push(...played);
    wake();
  };
  edge.play(function* (body) {
    turn = body.turnId;
    yield started(body);
    yield message("user", { content: body.input.type === "message" ? body.input.text : "", mode: "normal" });
    while (!over || waiting.length > 0) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else
        yield new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  });
  let text = "";
  let said = 0;
  const delta = (messageId: string): Played => {
    said += 1;
    const word = said % 40 === 0 ? "\n\n" : `${words[said % words.length]} `;
    text += word;
    return { event: "text.delta", data: { messageId, delta: word } };
  };
  const end = (ending: string) => {
    put(assistant("normal", `${text}\n\n${ending}`), {
      event: "turn.done",
      data: { reason: "stop", rounds: 1 },
    });
    over = true;
    wake();
  };
  return {
    async tokens(perSecond, seconds) {
      const begun = performance.now();
      for (let sent = 0; sent < perSecond * seconds; ) {
        const due = Math.floor(((performance.now() - begun) * perSecond) / 1000);
        for (; sent < due; sent += 1) put(delta("stream"));
        await sleep(10);
      }
    },
    async rounds(count, tokens, ending) {
      for (let round = 0; round < count; round += 1) {
        for (let token = 0; token < tokens; token += 1) {
          put(delta(`round${round}`));
          if (token % burst === 0) await sleep(frameMs);
        }
        const run = call(`${turn}round${round}`, "run_command", { command: `npm test ${round}` });
        put(
          assistant("normal", text, [run]),
          result("normal", run, "exit 0\n✓ works", { exitCode: 0, ms: 900 }),
        );
        text = "";
      }
      end(ending);
    },
    end,
  };
}
