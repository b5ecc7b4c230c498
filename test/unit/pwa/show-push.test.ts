// What a notification shows of what the server sends: nothing hides in it, and buttons only where all of it is shown.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ShownOptions } from "../../../pwa/service-worker/scope.ts";
import { memoryKv } from "./memory-kv.ts";

const shown: [title: string, options: ShownOptions][] = [];
const scope = {
  registration: { showNotification: async (...one: [string, ShownOptions]) => void shown.push(one) },
  clients: { matchAll: async () => [] },
  navigator: {},
};
let kv = memoryKv();
beforeAll(() => vi.stubGlobal("self", scope));
afterAll(() => vi.unstubAllGlobals());
beforeEach(async () => {
  shown.length = 0;
  kv = memoryKv();
  const summary = { text: "", mark: "waiting" };
  const record = {
    id: "s1",
    title: "a\u202e\tb",
    sandboxId: "b1",
    workspace: "w",
    createdAt: 0,
    updatedAt: 0,
  };
  await kv.write([["session/s1", { ...record, summary }]]);
});

const news = { kind: "permission", title: "T", sandboxId: "b1", turnId: "t1", line: "May it run git push?" };
const ask = { toolCallId: "c", command: "git push" };
/** What is shown for a push with these values. */
async function push(more: object = {}): Promise<[string, ShownOptions] | undefined> {
  const { showPush } = await import("../../../pwa/service-worker/show-push.ts");
  await showPush(kv, JSON.stringify({ ...news, ask, ...more }));
  return shown[0];
}

test("the session's title shows what hides in it", async () => {
  expect((await push())?.[0]).toBe("a⟨U+202E⟩⟨U+0009⟩b");
});

test("a line in which nothing hides has buttons, and goes to the tap with what they decide", async () => {
  expect((await push())?.[1]).toMatchObject({
    ...{ body: news.line, actions: [{ title: "Allow once" }, { title: "Deny" }], data: { ask } },
  });
});

test.each([
  ["turned around", "May it run git \u202ehsup?", "May it run git ⟨U+202E⟩hsup?"],
  ["with a tab", "May it run git\tpush?", "May it run git\tpush?"],
  ["that the server has marked", "May it run git ⟨U+202E⟩hsup?", "May it run git ⟨U+202E⟩hsup?"],
])("a line %s shows it, and has no buttons", async (_, line, body) => {
  const [, options] = (await push({ line })) ?? [];
  expect(options?.body).toBe(body);
  expect([options?.actions, options?.data]).toEqual([undefined, expect.not.objectContaining({ ask })]);
});

test("there are no buttons where they are turned off, or where the session is not on this device", async () => {
  await kv.write([["notify", { buttons: false }]]);
  expect((await push())?.[1].actions).toBeUndefined();
  shown.length = 0;
  await kv.clear("notify");
  expect((await push({ sandboxId: "b2" }))?.[1].actions).toBeUndefined();
});

test("what cannot be read is shown as a notification that says nothing of it", async () => {
  const { showPush } = await import("../../../pwa/service-worker/show-push.ts");
  for (const text of ["no JSON", JSON.stringify({ ...news, kind: "other" })]) await showPush(kv, text);
  expect(shown.map(([title, { body }]) => [title, body])).toEqual(
    Array(2).fill(["Handrail", "Open Handrail to see what is new."]),
  );
});
