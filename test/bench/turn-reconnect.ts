// Measures the time from reconnecting to being up to date: a finished turn of 1,000 durable events, from a
// real sandbox server's journal.
import { type RunningServer, token } from "../sandbox/running-server.ts";
import { median } from "./cpu-time.ts";
import { ask } from "./model-stage.ts";
import type { Subject } from "./model-subjects.ts";

const events = 1_000;
const repetitions = 15;

/** The comparison is with only reading the journal, since the edge must wait for that. */
export async function measureCatchingUp(edge: Subject | undefined, server: RunningServer): Promise<void> {
  if (!edge) throw new Error("the edge has to run");
  const { client } = server;
  const { id } = await client.create({ source: { sample: true } });
  const turnId = "long";
  await client.post(`/sandboxes/${id}/turns/${turnId}/claim`, { epoch: 1, record: record() });
  const { url, init } = edge.request("t1");
  const { authorization = "" } = init.headers ?? {};
  const get = (path: string, authorization: string, last: string) => () =>
    ask(path, { method: "GET", headers: { authorization } }, (text) => text.includes(last));
  const follow = (after: number) =>
    get(`${new URL(url).origin}/api/turns/${id}/${turnId}/events?after=${after}`, authorization, "turn.done");
  const journal = `${server.url}/v1/sandboxes/${id}/turns/${turnId}?from=0`;
  const [bare = 0, all = 0, none = 0] = await medians([
    get(journal, `Bearer ${token}`, "turn.done"),
    follow(0),
    follow(events - 1),
  ]);
  console.log(`  from reconnect to caught up, ${events} events, median of ${repetitions}`);
  console.log(
    `    all of them ${all.toFixed(1)} ms (${(all / bare).toFixed(2)}× of the journal read by itself, ${bare.toFixed(1)} ms)`,
  );
  console.log(`    the last one alone ${none.toFixed(1)} ms (${(none / bare).toFixed(2)}×)`);
}

/** The medians in milliseconds; the works alternate. */
async function medians(works: readonly (() => Promise<void>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let n = 0; n < repetitions + 3; n += 1) {
    for (const [index, work] of works.entries()) {
      const begun = performance.now();
      await work();
      if (n >= 3) times[index]?.push(performance.now() - begun);
    }
  }
  return times.map(median);
}

/** The record of a hundred rounds: a message of the person, answers with a call, results, the end. */
function record(): { id: number; event: string; data: unknown }[] {
  const message = (id: number, fields: object) => ({
    id,
    event: "message",
    data: { message: { id: `m${id}`, createdAt: 1, mode: "normal", ...fields } },
  });
  const started = {
    turnId: "long",
    mode: "normal",
    model: { provider: "default", id: "t1" },
    toolProtocol: "native",
    format: 1,
  };
  const middle = Array.from({ length: events - 3 }, (_, n) => {
    const id = n + 3;
    return n % 2 === 0
      ? message(id, {
          role: "assistant",
          content: "I read on.",
          finish: "tool_calls",
          toolCalls: [{ id: `c${id}`, name: "read_file", arguments: '{"path":"a.txt"}' }],
        })
      : message(id, {
          role: "tool",
          content: "1foo|a line\n".repeat(20),
          toolCallId: `c${id - 1}`,
          name: "read_file",
          ok: true,
        });
  });
  return [
    { id: 1, event: "turn.started", data: started },
    message(2, { role: "user", content: "Read everything." }),
    ...middle,
    { id: events, event: "turn.done", data: { reason: "stop", rounds: 1 } },
  ];
}
