// How long a follower waits for a turn whose journal does not grow. It counts polls of 20 s each and uses no
// clock.
import { expect, test } from "vitest";
import { followTurn } from "../../../functions/live/follow.ts";
import { createSandboxClient } from "../../../functions/sandbox/client.ts";
import { nothingSecret } from "../../../shared/redact/redactor.ts";

const claim = { seq: 1, at: 1, type: "claim", epoch: 1 };
const attended = { ...claim, attends: true };
const ping = { type: "ping" };

/**
 * The number of polls until the follower gives the turn up. The journal begins with `first` and then answers
 * `later`.
 */
async function pollsUntilGivenUp(first: readonly unknown[], later: (poll: number) => readonly unknown[]) {
  let polls = 0;
  const fetch: typeof globalThis.fetch = async () => {
    const lines = polls === 0 ? first : later(polls);
    polls += 1;
    return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  const sandbox = createSandboxClient({ fetch, baseUrl: "http://sandbox.test", token: "x" });
  const stored = { turnId: "t", after: 0 };
  const events = await followTurn({ sandbox }, "s", stored, nothingSecret, new AbortController().signal);
  for await (const event of events) expect.unreachable(`nothing was journaled, but came: ${event.event}`);
  return polls;
}

test("a runner that attends its turn may wait ten minutes for its model, which would be paid again", async () => {
  const tenMinutes = (10 * 60) / 20;
  expect(await pollsUntilGivenUp([attended, ping], () => [ping])).toBeGreaterThan(tenMinutes);
});

test("it is given up as soon as the sandbox says that nobody runs it", async () => {
  const polls = await pollsUntilGivenUp([attended, ping], (poll) =>
    poll < 8 ? [ping] : [ping, { type: "unattended" }],
  );
  expect(polls).toBe(9);
});

test("a runner that the sandbox cannot see is given up after a minute and a half", async () => {
  expect(await pollsUntilGivenUp([claim, ping], () => [ping])).toBe(5);
});

test("what the last claim says counts: whoever continued the turn is not seen", async () => {
  expect(await pollsUntilGivenUp([attended, { ...claim, seq: 2, epoch: 2 }, ping], () => [ping])).toBe(5);
});
