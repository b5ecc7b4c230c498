// The sessions of a server over HTTP: the list, a history, and refusals. Histories with turns are in
// turns/histories.ts.
import { describe, expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { SessionHistory, SessionList } from "../../../shared/history.ts";
import { ask, post } from "./request.ts";
import type { GetTarget } from "./target.ts";

export function describeSessions(target: GetTarget): void {
  describe("sessions on the server", () => {
    const made = async () =>
      SandboxAnswer.parse((await ask(target(), "/api/sandboxes", post({ source: { sample: true } }))).json)
        .sandboxId;

    test("a new one is first in the list, and its history is empty", async () => {
      const sandboxId = await made();
      const { status, json } = await ask(target(), "/api/sandboxes");
      expect(status).toBe(200);
      expect(SessionList.parse(json).sandboxes[0]).toMatchObject({
        sandboxId,
        title: "",
        state: "new",
        mode: "normal",
      });
      const read = await ask(target(), `/api/sandboxes/${sandboxId}/history`);
      expect(read.status).toBe(200);
      expect(SessionHistory.parse(read.json)).toMatchObject({
        sessions: [{ record: { sandboxId }, head: { plan: null, turn: null }, entries: [] }],
        after: null,
        more: false,
        missing: [],
      });
    });

    test("a deleted one is in no list and has no history", async () => {
      const sandboxId = await made();
      await ask(target(), `/api/sandboxes/${sandboxId}`, { method: "DELETE" });
      const { sandboxes } = SessionList.parse((await ask(target(), "/api/sandboxes")).json);
      expect(sandboxes.map((one) => one.sandboxId)).not.toContain(sandboxId);
      expect((await ask(target(), `/api/sandboxes/${sandboxId}/history`)).status).toBe(404);
    });

    test.each(["?after=x", "?after=1.2", "?page=2"])(
      "a list requested with %s is refused with a message",
      async (query) => {
        const { status, json } = await ask(target(), `/api/sandboxes${query}`);
        expect(status).toBe(400);
        expect(json).toMatchObject({
          error: { code: "invalid_request", message: expect.any(String) },
        });
      },
    );

    test.each(["?after=x", "?after=t1", "?waitMs=long", "?from=1"])(
      "a history requested with %s is refused with a message",
      async (query) => {
        const { status, json } = await ask(target(), `/api/sandboxes/${await made()}/history${query}`);
        expect(status).toBe(400);
        expect(json).toMatchObject({
          error: { code: "invalid_request", message: expect.any(String) },
        });
      },
    );

    const notesOf = async (sandboxId: string, query = "") => {
      const { json } = await ask(target(), `/api/sandboxes/${sandboxId}/history${query}`);
      return SessionHistory.parse(json).notes;
    };
    const tell = (sandboxId: string, notes: object) =>
      ask(target(), `/api/sandboxes/${sandboxId}/notes`, post(notes));
    const point = (n: number) => ({ turnId: `t${n}`, snapshot: `s${n}`, at: n, text: `Message ${n}` });

    test("a name and undo points that one device stores are there for the others, and in the list", async () => {
      const sandboxId = await made();
      expect((await tell(sandboxId, { title: "The parser", undoPoints: [point(2)] })).json).toEqual({
        ok: true,
      });
      await tell(sandboxId, { undoPoints: [point(1), point(3)] });
      expect(await notesOf(sandboxId)).toMatchObject({
        title: "The parser",
        undoPoints: [point(1), point(2), point(3)],
      });
      const { sandboxes } = SessionList.parse((await ask(target(), "/api/sandboxes")).json);
      expect(sandboxes[0]).toMatchObject({ sandboxId, title: "The parser" });
    });

    test("the newest fifty undo points are kept", async () => {
      const sandboxId = await made();
      for (const from of [1, 31])
        await tell(sandboxId, { undoPoints: Array.from({ length: 30 }, (_, n) => point(from + n)) });
      const { undoPoints = [] } = (await notesOf(sandboxId)) ?? {};
      expect(undoPoints.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, n) => 11 + n));
    });

    test("one of several watching devices writes, until another takes over; devices that wait are notified", async () => {
      const sandboxId = await made();
      const phone = await notesOf(sandboxId, "?client=phone");
      expect(phone).toMatchObject({ writer: "phone" });
      expect(await notesOf(sandboxId, "?client=laptop")).toMatchObject({ writer: "phone" });
      const waits = notesOf(sandboxId, `?client=phone&known=${phone?.mark}&waitMs=25000`);
      await tell(sandboxId, { writer: "laptop" });
      expect(await waits).toMatchObject({ writer: "laptop" });
      // A change before the wait is reported at once.
      const known = `?client=phone&known=${phone?.mark}&waitMs=25000`;
      expect(await notesOf(sandboxId, known)).toMatchObject({ writer: "laptop" });
    });

    test.each([
      { nothing: 1 },
      { title: "x".repeat(201) },
      { undoPoints: [{ turnId: "t1" }] },
      { writer: 1 },
    ])("notes %j are refused with a message", async (notes) => {
      const { status, json } = await tell(await made(), notes);
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: { code: "invalid_request", message: expect.any(String) } });
    });

    test("a history from a position that it does not have is refused with that reason", async () => {
      const { status, json } = await ask(target(), `/api/sandboxes/${await made()}/history?after=t1.3`);
      expect(status).toBe(409);
      expect(json).toMatchObject({
        error: { code: "history_differs", details: { turnId: "t1", lastId: 0 } },
      });
    });
  });
}
