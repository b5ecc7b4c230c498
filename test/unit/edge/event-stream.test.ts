import { expect, test } from "vitest";
import { EventQueue } from "../../../functions/live/event-queue.ts";
import { eventStream } from "../../../functions/routes/event-stream.ts";

test("a client that leaves after the last event, or twice, causes no error", async () => {
  let gone = 0;
  const queue = new EventQueue(() => undefined);
  const running = { count: 0 };
  const answer = eventStream(queue, {
    elapsed: () => 0,
    heartbeatMs: 60_000,
    running,
    onDetach: () => (gone += 1),
  });
  queue.push({ id: 1, event: "turn.done", data: { reason: "stop", rounds: 1 } });
  queue.end();
  expect(await answer.text()).toContain("event: turn.done");
  // Hosts also report that a connection closed after its end.
  queue.close();
  queue.close();
  expect([gone, running.count]).toEqual([0, 0]);
});
