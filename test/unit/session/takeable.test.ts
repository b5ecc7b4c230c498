import fc from "fast-check";
import { expect, test } from "vitest";
import { checkHistory } from "../../../functions/turn/check-request.ts";
import type { Message } from "../../../shared/message.ts";
import { takeable } from "../../../shared/session/takeable.ts";

/** One answer for each number, with that many calls and their results, each after a message of the person. */
function conversation(callCounts: readonly number[]): Message[] {
  return callCounts.flatMap((count, n): Message[] => {
    const base = { createdAt: n, mode: "normal" as const };
    const ids = Array.from({ length: count }, (_, call) => `c${n}.${call}`);
    const toolCalls = ids.map((id) => ({ id, name: "read_file", arguments: "{}" }));
    const results = ids.map(
      (id): Message => ({
        ...base,
        id: `${id}.result`,
        ...{ role: "tool", content: "read", toolCallId: id, name: "read_file", ok: true },
      }),
    );
    return [
      { ...base, id: `u${n}`, role: "user", content: "Go" },
      {
        ...base,
        id: `a${n}`,
        ...{ role: "assistant", content: "", finish: "stop" },
        ...(count > 0 && { toolCalls }),
      },
      ...results,
    ];
  });
}

test("whatever a disk lost of a history, the rest is accepted, with a text in place of missing results", () => {
  const counts = fc.array(fc.nat({ max: 3 }), { maxLength: 6 });
  fc.assert(
    fc.property(counts, fc.infiniteStream(fc.boolean()), (callCounts, kept) => {
      const left = conversation(callCounts).filter(() => kept.next().value);
      const taken = takeable(left);
      expect(() => checkHistory(taken)).not.toThrow();
      const spoken = ({ role }: Message) => role !== "tool";
      expect(taken.filter(spoken)).toEqual(left.filter(spoken));
    }),
  );
  const [user, answer, first, second] = conversation([2, 0]);
  const next = conversation([0, 0]).slice(2);
  if (!user || !answer || !first || !second) throw new Error("a conversation has messages");
  const gone = expect.objectContaining({
    id: "c0.0.result",
    ok: false,
    content: expect.stringMatching(/^not kept/),
  });
  expect(takeable([user, answer, second, ...next])).toEqual([user, answer, gone, second, ...next]);
  expect(takeable([user, first, ...next])).toEqual([user, ...next]);
});

test("a complete history stays unchanged, with the calls that wait at its end", () => {
  const whole = conversation([1, 3, 0, 2]);
  for (const waiting of [0, 1, 2]) {
    const history = whole.slice(0, whole.length - waiting);
    expect(takeable(history)).toEqual(history);
  }
});
