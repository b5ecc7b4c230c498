// Streamed text is drawn once a frame, however many pieces arrive meanwhile.
import { expect, test } from "vitest";
import { createApi } from "../../../pwa/api/client.ts";
import { OpenSession } from "../../../pwa/session/open-session.ts";
import { sessionPuts } from "../../../pwa/storage/session-store.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { memoryKv } from "./memory-kv.ts";

const never = () => new Promise<never>(() => undefined);
const pieces = Array.from({ length: 40 }, (_, at) => `piece ${at} `);
const delta = (text: string) =>
  `event: text.delta\ndata: ${JSON.stringify({ messageId: "m", delta: text })}\n\n`;

/** Each piece is a separate chunk. `read` resolves when the last one has been taken. */
function streamed(): { body: ReadableStream<Uint8Array>; read: Promise<void> } {
  const left = pieces.map((text) => new TextEncoder().encode(delta(text)));
  let allRead = () => {};
  const read = new Promise<void>((resolve) => {
    allRead = resolve;
  });
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = left.shift();
        if (next === undefined) allRead();
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read };
}

test("forty pieces of an answer between two frames are drawn together by the next one", async () => {
  const kv = memoryKv();
  const summary = { text: "", mark: "hollow" as const };
  const times = { createdAt: 1, updatedAt: 1 };
  const record = { id: "s", title: "", sandboxId: "sb", workspace: "w", ...times, summary, demo: false };
  await kv.write(sessionPuts(record, emptySession("normal"), 0));
  const { body, read } = streamed();
  const frames: (() => void)[] = [];
  const send: typeof fetch = async (path) =>
    String(path).endsWith("/turn") ? new Response(body) : new Response("{}", { status: 404 });
  const ignore = () => undefined;
  const session = await OpenSession.load(
    {
      ...{ kv, now: () => 1, newId: () => crypto.randomUUID(), serves: () => null, client: ignore },
      ...{ onRecord: ignore, onSaved: ignore, onEvents: ignore, onHandOver: ignore },
      api: createApi({ fetch: send, token: () => "token", onUnauthorized: ignore }),
      page: {
        ...{ sleep: never, wake: never, doubt: never, isOnline: () => true },
        inNextFrame: (flush) => void frames.push(flush),
      },
    },
    "s",
  );
  if (session === undefined) throw new Error("the session is not in storage");
  await session.becomeWriter();
  session.send({ type: "message", text: "Tell me everything" });
  await read;
  expect(JSON.stringify(session.state.value.live)).not.toContain("piece");
  expect(frames).toHaveLength(1);
  for (const draw of frames.splice(0)) draw();
  expect(JSON.stringify(session.state.value.live)).toContain(pieces.join(""));
  session.leave();
});
