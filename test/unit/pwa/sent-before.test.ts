// After a crash while sending, the phone asks the server by the turn's id whether it has the turn.
import { expect, test } from "vitest";
import { createApi } from "../../../pwa/api/client.ts";
import { sentBefore } from "../../../pwa/session/sent-before.ts";

function server(answer: () => Response | Promise<Response>) {
  const asked: { path: string; signal: AbortSignal | null | undefined }[] = [];
  const api = createApi({
    fetch: async (path, init) => {
      asked.push({ path: String(path), signal: init?.signal });
      return answer();
    },
    token: () => "token",
    modelKey: () => undefined,
    onUnauthorized: () => undefined,
  });
  return { api, asked };
}

const refusal = (status: number, code: string) =>
  Response.json({ error: { code, message: "No.", retryable: status >= 500 } }, { status });

test("a turn that the server knows was sent, and its stream is not read", async () => {
  const { api, asked } = server(() => new Response(new ReadableStream(), { status: 200 }));
  expect(await sentBefore(api, "box", "t1")).toBe(true);
  expect(asked.map(({ path, signal }) => [path, signal?.aborted])).toEqual([
    ["/api/turns/box/t1/events?after=0", true],
  ]);
});

test("a turn that the server does not know was not sent, nor one that cannot be looked up", async () => {
  expect(await sentBefore(server(() => refusal(404, "not_found")).api, "box", "t1")).toBe(false);
  const away = server(() => Promise.reject(new TypeError("no network")));
  expect(await sentBefore(away.api, "box", "t1")).toBe(false);
  const none = server(() => new Response());
  expect([await sentBefore(none.api, "", "t1"), none.asked]).toEqual([false, []]);
});
