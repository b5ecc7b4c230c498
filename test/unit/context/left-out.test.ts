// In any conversation, from one request to the next: messages that were left out stay out, and the cached
// prefix stays cached.
import fc from "fast-check";
import { expect, test } from "vitest";
import { digestChars, digestTokens } from "../../../functions/compaction/digest.ts";
import { type Fitted, fitPrompt } from "../../../functions/compaction/fit-prompt.ts";
import { makeMarker } from "../../../functions/compaction/make-marker.ts";
import { cutToMarker } from "../../../functions/compaction/marker.ts";
import { calibrationIn, observed, roomOf, tightened } from "../../../functions/context/calibration.ts";
import { estimatePrompt } from "../../../functions/context/estimate.ts";
import { render } from "../../../functions/context/render.ts";
import type { Calibration, Message } from "../../../shared/message.ts";
import { historyForTurn } from "../../../shared/session/history.ts";
import { runs } from "../../harness/runs.ts";
import { histories } from "./history-arbitrary.ts";
import { model, roomFor } from "./room.ts";

/** A long run checks more. */
const numRuns = runs(Number(process.env.HANDRAIL_PROPERTY_RUNS ?? 30), 4);
// A failing case is not shrunk (endOnFailure): that takes minutes.
const slow = 60_000 + numRuns * 400;
const windows = fc.integer({ min: 4_000, max: 25_000 });
/**
 * For each answer: the provider's tokens per estimated token, and the message with which it first refused a
 * request.
 */
const counts = fc.array(
  fc.record({
    scale: fc.double({ min: 0.5, max: 2, noNaN: true }),
    refusal: fc.constantFrom("", "", "", "too long", "maximum context length is 9000 tokens"),
  }),
  { minLength: 1, maxLength: 20 },
);
type Counts = typeof counts extends fc.Arbitrary<infer Each> ? Each : never;

const steady = { scale: 1, refusal: "" } as const;

/** A request that was answered. */
interface Asked {
  posted: readonly Message[];
  fitted: Fitted;
  known: Calibration;
}

/** Whether a request may follow the last of `messages`: never between a call and its result. */
function isWhole(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const answer = messages[last];
  const calls = answer?.role === "assistant" ? (answer.toolCalls?.length ?? 0) : 0;
  return messages.slice(last + 1).filter(({ role }) => role === "tool").length >= calls;
}

function fittedOrNot(history: readonly Message[], known: Calibration, windowTokens: number) {
  try {
    return fitPrompt(history, "system", roomFor(history, windowTokens, known));
  } catch {
    // The required minimum does not fit into the room.
    return undefined;
  }
}

/**
 * The requests of a session that results in `messages`. Each answer then records what was learned from it.
 */
function* session(
  messages: readonly Message[],
  windowTokens: number,
  counts: Counts,
  asPosted: (history: readonly Message[]) => readonly Message[] = (history) => history,
): Generator<Asked> {
  let answers = 0;
  for (const end of messages.keys()) {
    const posted = asPosted(messages.slice(0, end));
    const answer = messages[end];
    if (answer?.role !== "assistant" || !isWhole(posted)) continue;
    const { scale, refusal } = counts[answers++ % counts.length] ?? steady;
    let known = calibrationIn(posted, model);
    let fitted = fittedOrNot(posted, known, windowTokens);
    if (fitted && refusal) {
      const estimatedTokens = fitted.tokens;
      known = tightened(known, { contextWindow: windowTokens, estimatedTokens, said: refusal });
      // Two more refusals would leave no room for anything.
      if (roomOf(known, windowTokens) < 2_000) known = calibrationIn(posted, model);
      else fitted = fittedOrNot(posted, known, windowTokens);
    }
    if (!fitted) continue;
    yield { posted, fitted, known };
    const { tokens } = fitted;
    answer.calibration = refusal ? known : observed(known, tokens, Math.round(tokens * scale));
  }
}

/**
 * Messages that a request shows although an earlier one had left them out, and those that it shows at greater
 * length than before.
 */
function comebacks(requests: Iterable<Asked>): string[] {
  const sizes = new Map<string, number>();
  const found: string[] = [];
  for (const { posted, fitted } of requests) {
    const shown = new Map(fitted.history.map((message) => [message.id, JSON.stringify(message).length]));
    for (const { id, role } of posted) {
      const size = shown.get(id) ?? 0;
      const before = sizes.get(id) ?? size;
      if (size > before) found.push(`${role} ${id}: ${before}, before message ${posted.length} ${size}`);
      sizes.set(id, size);
    }
  }
  return found;
}

test("nothing left out comes back and nothing grows, whatever is added after it", {
  tags: "random",
  timeout: slow,
}, () => {
  fc.assert(
    fc.property(histories(90), windows, ({ messages }, windowTokens) => {
      expect(comebacks(session(messages, windowTokens, [steady]))).toEqual([]);
    }),
    { numRuns, endOnFailure: true },
  );
});

test("nor where the provider's count varies from answer to answer, and it refuses requests as too long", {
  tags: "random",
  timeout: slow,
}, () => {
  fc.assert(
    fc.property(histories(90), windows, counts, ({ messages }, windowTokens, each) => {
      expect(comebacks(session(messages, windowTokens, each))).toEqual([]);
    }),
    { numRuns, endOnFailure: true },
  );
});

/**
 * Splits the requests where another plan, or the end of one, removes the messages of the plan at the marker.
 * This frees room that cannot be calculated here.
 */
function untilPostedLess(requests: readonly Asked[]): Asked[][] {
  const runs: Asked[][] = [];
  let before: ReadonlySet<string> = new Set(["none"]);
  for (const asked of requests) {
    const ids = new Set(asked.posted.map(({ id }) => id));
    if ([...before].some((id) => !ids.has(id))) runs.push([]);
    runs.at(-1)?.push(asked);
    before = ids;
  }
  return runs;
}

test("nor after a marker, where a history is posted whole in one turn and from the marker on in the next", {
  tags: "random",
  timeout: slow,
}, () => {
  fc.assert(
    fc.property(histories(60), histories(60), windows, (before, after, windowTokens) => {
      const marker = makeMarker(cutToMarker(before.messages), before.plan, {
        id: "marker",
        at: 1,
        mode: "normal",
      });
      const renamed = JSON.stringify(after.messages).replaceAll(
        /"(m|call|plan:call|plan:m)(\d+)"/g,
        '"after-$1$2"',
      );
      const whole = [...before.messages, marker, ...(JSON.parse(renamed) as Message[])];
      let turns = 0;
      const asPosted = (history: readonly Message[]) => {
        if (history.length <= before.messages.length) return history;
        turns += 1;
        return cutToMarker(turns % 2 === 0 ? history : historyForTurn(history)).messages;
      };
      const behind = [...session(whole, windowTokens, [steady], asPosted)].filter(({ posted }) =>
        posted.some(({ id }) => id === "marker"),
      );
      for (const asked of untilPostedLess(behind)) expect(comebacks(asked)).toEqual([]);
    }),
    { numRuns, endOnFailure: true },
  );
});

/** Hidden messages that expire by PROTOCOL 2, however much room there is. */
const aging = new Set([
  "mode_switch",
  "tick",
  "cron_fire",
  "process_completed",
  "tool_decision",
  "verifier_report",
]);

test("what fits after the last request is appended to it and changes none of it", {
  tags: "random",
  timeout: slow,
}, () => {
  let checked = 0;
  // A long history has about seven checked requests, a short one has none. With few histories that would
  // sometimes be too little.
  const numHistories = runs(numRuns, 12);
  fc.assert(
    fc.property(histories(90), windows, counts, ({ messages }, windowTokens, each) => {
      let before: Asked | undefined;
      // The messages kept for the digest depend on the room at that time.
      let mostRoom = 0;
      for (const asked of session(messages, windowTokens, each)) {
        const last = before;
        before = asked;
        if (!last) continue;
        const fresh = asked.posted.slice(last.posted.length);
        const shown = new Set(asked.fitted.history);
        const both = [...last.fitted.history, ...fresh];
        const timely = both.filter(
          (message) =>
            shown.has(message) || message.role !== "event" || !aging.has(message.extra.event.subkind),
        );
        const prompt = render(timely, "system");
        const roomTokens = roomOf(asked.known, windowTokens);
        mostRoom = Math.max(mostRoom, roomTokens);
        const fits = estimatePrompt(prompt) + digestTokens(digestChars(mostRoom)) <= roomTokens;
        // By PROTOCOL 7, some of these messages move a plan's text.
        if (!fits || fresh.some(isSummary) || fresh.some(movesPlan)) continue;
        expect(asked.fitted.prompt).toEqual(prompt);
        if (timely.length < both.length) continue;
        expect(prompt.slice(0, last.fitted.prompt.length)).toEqual(last.fitted.prompt);
        checked += 1;
      }
    }),
    { numRuns: numHistories, endOnFailure: true },
  );
  expect(checked).toBeGreaterThan(runs(numHistories * 4, numHistories * 2));
});

/** Such a message changes the digest. */
function isSummary(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === "model_summary";
}

function movesPlan(message: Message): boolean {
  return (
    message.role === "plan" || (message.role === "event" && message.extra.event.subkind === "mode_switch")
  );
}
