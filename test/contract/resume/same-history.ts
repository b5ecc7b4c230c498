import { describe, expect, test } from "vitest";
import type { TurnRequestInput } from "../../../shared/turn.ts";
import { dataOf, durable } from "../../harness/conversation.ts";
import { gate } from "../../harness/gate.ts";
import { authorized, collect, eventsOf, postTurn } from "../../harness/sse.ts";
import type { ResumeStage } from "./stage.ts";
import { durableOf } from "./turn-requests.ts";

/** PROTOCOL 3.1 "Same history": a client whose events differ from the server's. */
export function describeSameHistory(stage: ResumeStage): void {
  const refusal = async (response: Promise<Response>) => {
    const answer = await response;
    const { error } = await answer.json();
    return [answer.status, error.code, error.details];
  };
  const seenIn = (text: string) => [...text.matchAll(/^seen: (\S+)$/gm)].map(([, seen = ""]) => seen);
  const followSeen = ({ sandboxId, turnId }: TurnRequestInput, after: number, seen: string) =>
    fetch(`${stage.other().url}/api/turns/${sandboxId}/${turnId}/events?after=${after}&seen=${seen}`, {
      headers: authorized(stage.other().token),
    });

  describe("a client that is ahead, or has a different history", () => {
    test("is refused with a message before the model is asked; with the history that it was sent it continues", async () => {
      const talk = await stage.open([{ calls: [{ name: "list_files", args: {} }] }, { text: "done" }]);
      const body = talk.body({ type: "message", text: "Look" });
      const text = await (await postTurn(stage.product(), body)).text();
      const seen = seenIn(text);
      const before = stage.model().requests.length;
      const details = (after: number) => ({ turnId: body.turnId, after, lastId: seen.length });
      const ahead = { ...body, attempt: 2, after: seen.length + 1 };
      expect(await refusal(postTurn(stage.other(), ahead))).toEqual([
        409,
        "history_differs",
        details(seen.length + 1),
      ]);
      const other = { ...body, attempt: 2, after: 3, seen: "0123456789abcdef" };
      expect(await refusal(postTurn(stage.product(), other))).toEqual([409, "history_differs", details(3)]);
      const told = await collect(eventsOf(await followSeen(body, 3, "0123456789abcdef")));
      expect(told.map(({ event }) => event)).toEqual(["interrupted"]);
      expect(dataOf(told, "interrupted").error.code).toBe("history_differs");
      const same = { ...body, attempt: 2, after: 3, seen: seen[2] ?? "" };
      const again = await (await postTurn(stage.other(), same)).text();
      expect(seenIn(again)).toEqual(seen.slice(3));
      expect(seenIn(await (await followSeen(body, 3, seen[2] ?? "")).text())).toEqual(seen.slice(3));
      expect(stage.model().requests.length).toBe(before);
    });

    test("that lacks the newest turn posts its own again, under its id, once it has that turn", async () => {
      const read = (path: string) => ({ calls: [{ name: "read_file", args: { path } }] });
      const talk = await stage.open([
        read("README.md"),
        { text: "one" },
        read("package.json"),
        { text: "two" },
      ]);
      const spoken = async (text: string) => {
        const body = talk.body({ type: "message", text });
        const answer = await (await postTurn(stage.product(), body)).text();
        const seen = seenIn(answer);
        for await (const event of eventsOf(new Response(answer))) talk.keep(event);
        return { turnId: body.turnId, after: seen.length, seen: seen.at(-1) ?? "", newest: true as const };
      };
      const first = await spoken("First");
      const stale = talk.body({ type: "message", text: "Third" }, { stored: first });
      const newest = await spoken("Second");
      expect(await refusal(postTurn(stage.product(), stale))).toEqual([
        409,
        "history_differs",
        { newer: newest.turnId },
      ]);
      stage.model().play([{ text: "three" }]);
      const [end] = (
        await durableOf(postTurn(stage.other(), { ...stale, messages: talk.messages, stored: newest }))
      ).slice(-1);
      expect(end).toMatchObject({ event: "turn.done", data: { reason: "stop" } });
    });

    test("whose history counts: the turn ends with an explanation, what ran does not run again, and the next turn works", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
        { text: "late", hold: passed },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Append" });
      const running = collect(eventsOf(await postTurn(stage.product(), body)));
      await stage.model().request(before + 2);
      const counts = { ...body, attempt: 2, after: 9, counts: "client" as const };
      const [end, ...more] = await durableOf(postTurn(stage.other(), counts));
      expect(end).toMatchObject({
        id: 10,
        event: "turn.failed",
        data: { error: { code: "history_differs" } },
      });
      expect(more).toEqual([]);
      open();
      const watched = await running;
      expect(watched.find(({ event }) => event === "gap")?.data).toMatchObject({ through: 9 });
      expect(durable(watched).at(-1)).toMatchObject({ id: 10 });
      stage.model().play([{ text: "next" }]);
      expect(dataOf(await talk.say("Go on"), "turn.done").reason).toBe("stop");
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });

    test("that was sent a different result than the journal has ends the turn too, where its history counts", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([
        { calls: [{ name: "run_command", args: { command: "echo once >> log.txt" } }] },
        { text: "late", hold: passed },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Append" });
      const running = collect(eventsOf(await postTurn(stage.product(), body)));
      await stage.model().request(before + 2);
      // Event 4, the message of the result, was sent but is not recorded. Only its hash reveals that a line
      // was cut off.
      const counts = { ...body, attempt: 2, after: 4, seen: "0123456789abcdef", counts: "client" as const };
      const text = await (await postTurn(stage.other(), counts)).text();
      expect(text).not.toContain("event: gap");
      const [end, ...more] = text.matchAll(/^id: (\d+)\nseen: (\S+)\nevent: (\S+)\ndata: (.*)$/gm);
      expect(more).toEqual([]);
      expect(end?.slice(1)).toEqual(["5", expect.any(String), "turn.failed", expect.any(String)]);
      expect(end?.[4]).toContain('"code":"history_differs"');
      open();
      expect(durable(await running).at(-1)).toMatchObject({ id: 5, event: "turn.failed" });
      stage.model().play([{ text: "next" }]);
      const stored = { turnId: body.turnId, after: 5, seen: end?.[2] ?? "" };
      const next = await talk.turn({ type: "message", text: "Go on" }, { stored });
      expect(dataOf(next, "turn.done").reason).toBe("stop");
      expect(await stage.file(talk, "log.txt")).toBe("once\n");
    });

    test("whose turn the server does not know gets the `seen` of its end, the same each time", async () => {
      const talk = await stage.open([{ text: "next" }]);
      const body = { ...talk.body({ type: "message", text: "Lost" }), attempt: 2, after: 3 };
      const seen = "0123456789abcdef";
      const text = await (await postTurn(stage.product(), { ...body, seen, counts: "client" })).text();
      const [own = "", ...more] = seenIn(text);
      expect([text.match(/^id: (.*)$/m)?.[1], own, more]).toEqual([
        "4",
        expect.stringMatching(/^[0-9a-f]{16}$/),
        [],
      ]);
      expect(seenIn(await (await followSeen(body, 3, seen)).text())).toEqual([own]);
      const stored = { turnId: body.turnId, after: 4, seen: own };
      const next = await talk.turn({ type: "message", text: "Go on" }, { stored });
      expect(dataOf(next, "turn.done").reason).toBe("stop");
    });

    test("whose history counts has its plan proposed again: only the journal says what was approved", async () => {
      const talk = await stage.open(
        [
          { calls: [{ name: "set_plan", args: { goal: "Note", steps: [{ description: "Write" }] } }] },
          { calls: [{ name: "exit_plan", args: {} }] },
        ],
        "plan",
      );
      await talk.say("Plan");
      const other = await stage.open([{ text: "fine" }, { text: "ran" }], "plan");
      const { plan } = talk;
      if (!plan) throw new Error("no plan");
      other.messages = talk.messages;
      other.plan = { ...plan, status: "executing" };
      const body = other.body({ type: "message", text: "Go on" });
      expect((await refusal(postTurn(stage.product(), body)))[1]).toBe("stale_plan");
      await other.turn({ type: "message", text: "Go on" }, { counts: "client" });
      expect(other.plan).toMatchObject({ hash: plan.hash, status: "proposed" });
      expect(dataOf(await other.approve(), "mode").to).toBe("normal");
    });

    test("a refused post with another input does not affect the rightful one", async () => {
      const talk = await stage.open([{ text: "rightful" }, { text: "again" }]);
      const body = talk.body({ type: "message", text: "Look" });
      await durableOf(postTurn(stage.other(), body));
      const release = stage.wire().keepBack(`${body.turnId}/claim`);
      const stray = postTurn(stage.product(), {
        ...body,
        attempt: 3,
        input: { type: "message", text: "Stray" },
      });
      const claims = () =>
        stage.wire().requests.filter((request) => request.includes(`${body.turnId}/claim`)).length;
      await expect.poll(claims).toBe(2);
      const rightful = postTurn(stage.product(), { ...body, attempt: 2 });
      // The rightful request waits for the outcome of the stray one.
      await fetch(`${stage.product().url}/api/health`);
      release();
      expect((await refusal(stray)).slice(0, 2)).toEqual([422, "key_reused"]);
      expect(dataOf(await durableOf(rightful), "turn.done").reason).toBe("stop");
    });

    test("a turn taken over in the same process logs no error, and both clients see the same end", async () => {
      const { passed, open } = gate();
      const talk = await stage.open([
        { text: "first", hold: passed },
        { text: "second", hold: passed },
      ]);
      const before = stage.model().requests.length;
      const body = talk.body({ type: "message", text: "Look" });
      const lower = durableOf(postTurn(stage.product(), body));
      await stage.model().request(before + 1);
      const higher = durableOf(postTurn(stage.product(), { ...body, attempt: 2 }));
      await stage.model().request(before + 2);
      open();
      const [first, second] = await Promise.all([lower, higher]);
      expect(dataOf(second, "turn.done").reason).toBe("stop");
      expect(first).toEqual(second);
      expect(stage.product().logs()).not.toContain("turn_interrupted");
    });
  });
}
