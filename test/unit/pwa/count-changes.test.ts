// What counts as changed after a commit: nothing that the commit contains, and everything that it left out.
import { expect, test } from "vitest";
import type { Api } from "../../../pwa/api/client.ts";
import { isUntouched, measureChanges } from "../../../pwa/session/count-changes.ts";
import type { Entry, SessionHead } from "../../../shared/session/session-state.ts";
import { emptySession } from "../../../shared/session/session-state.ts";

const diffOf = (path: string) =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,2 @@\n one\n+two\n`;

/** A server whose session changed `files`. The newest commit contains `held`. */
function server(files: readonly string[], held: readonly string[]) {
  const asked: (string | undefined)[] = [];
  const answer = { others: "", truncated: false, mixed: [] };
  const commits = held.length === 0 ? [] : [{ commit: "3bcb267 Add limits", files: [...held] }];
  const api = {
    changes: async (_id: string, since?: string) => {
      asked.push(since);
      return { ...answer, own: files.map(diffOf).join(""), commits };
    },
    snapshot: async () => ({ snapshot: "after" }),
  } as Partial<Api> as Api;
  return { api, asked };
}

const ran = (command: string, output: string): Entry[] => {
  const message = (id: number, data: object) =>
    ({
      event: "message",
      turnId: "t",
      id,
      data: { message: { id: `m${id}`, createdAt: 1, ...data } },
    }) as Entry;
  return [
    message(1, {
      ...{ role: "assistant", content: "", mode: "normal" },
      toolCalls: [{ id: "c", name: "run_command", arguments: JSON.stringify({ command }) }],
    }),
    message(2, {
      role: "tool",
      toolCallId: "c",
      name: "run_command",
      ok: true,
      content: output,
      mode: "normal",
    }),
  ];
};
const measured = (api: Api, entries: Entry[], head: Partial<SessionHead> = {}) =>
  measureChanges(api, "sb", { head: { ...emptySession().head, ...head }, entries }, async () => "feature");

test("a session is untouched until a command or an edit outside of plan mode, whatever was committed since", () => {
  const { head } = emptySession();
  const facts = { round: 1, maxRounds: 9, contextTokens: 1, budgetTokens: 9, facts: { exitCode: 0 } };
  const after = (mode: "plan" | "normal") => ({
    head,
    entries: ran("./release.sh", "").map((entry) =>
      entry.event === "message" && entry.data.message.role === "tool"
        ? { ...entry, data: { message: { ...entry.data.message, mode, meta: facts } } }
        : entry,
    ),
  });
  expect([emptySession(), after("plan"), after("normal")].map(isUntouched)).toEqual([true, true, false]);
  const changes = { "a.ts": { added: 1, removed: 0 } };
  expect(isUntouched({ head: { ...head, changes }, entries: [] })).toBe(false);
});

test("a commit that git printed nothing about is recognized by its files", async () => {
  const { api } = server(["a.ts"], ["a.ts"]);
  const quiet = ran("git add a.ts && git commit -q -m x", "");
  expect(await measured(api, quiet)).toEqual({
    committed: { hash: "3bcb267", branch: "feature", snapshot: "after" },
    changes: {},
  });
});

test("files that a commit left out still count", async () => {
  const { api } = server(["a.ts", "b.ts"], ["a.ts"]);
  const quiet = ran("git commit -qm x a.ts", "");
  expect(await measured(api, quiet)).toEqual({
    committed: { hash: "3bcb267", branch: "feature", snapshot: "start" },
    changes: { "b.ts": { added: 1, removed: 0 } },
  });
});

test("files identical to an older commit are not a new commit", async () => {
  const { api } = server(["a.ts"], ["a.ts"]);
  expect(await measured(api, ran("git restore a.ts", ""))).toEqual({ committed: null, changes: {} });
});

test("a commit that is already known does not count twice", async () => {
  const { api, asked } = server(["b.ts"], []);
  const known = { hash: "3bcb267", branch: "feature", snapshot: "before" };
  const { committed } = await measured(api, ran("git commit -m x", "[feature 3bcb267] x\n"), {
    committed: known,
  });
  expect([committed, asked]).toEqual([known, ["before"]]);
});
