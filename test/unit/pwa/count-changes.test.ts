// What counts as changed after a commit: nothing that the commit contains, and everything that it left out.
import { expect, test } from "vitest";
import type { Api } from "../../../pwa/api/client.ts";
import { isUntouched, mayHaveChanged, measureChanges } from "../../../pwa/session/count-changes.ts";
import type { Changes } from "../../../shared/api.ts";
import type { Entry } from "../../../shared/session/session-state.ts";
import { emptySession } from "../../../shared/session/session-state.ts";

const diffOf = (path: string) =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,2 @@\n one\n+two\n`;

const newest = { commit: `3bcb267${"0".repeat(33)}`, branch: "feature" };

/** A server whose session changed `files`, of which commits contain `held`. `made`: the commit that it made. */
function server(files: readonly string[], held: readonly string[], made: Changes["made"] | null = newest) {
  const asked: (string | undefined)[] = [];
  const answer = { others: "", truncated: false, mixed: [], ...(made && { made }) };
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

test("with hooks, any turn may have changed something", () => {
  const { head } = emptySession();
  const entries = ran("ls", "").slice(0, 1);
  expect([head, { ...head, hooks: true }].map((each) => mayHaveChanged({ head: each, entries }))).toEqual([
    false,
    true,
  ]);
});

test("a commit that contains everything is where the changes count from", async () => {
  const { api } = server(["a.ts"], ["a.ts"]);
  expect(await measureChanges(api, "sb", null)).toEqual({
    committed: { hash: "3bcb267", branch: "feature", snapshot: "after" },
    changes: {},
  });
});

test("files that a commit left out, or that changed after it in the same command, still count", async () => {
  const { api } = server(["a.ts", "b.ts"], ["a.ts"]);
  expect(await measureChanges(api, "sb", null)).toEqual({
    committed: { hash: "3bcb267", branch: "feature", snapshot: "start" },
    changes: { "b.ts": { added: 1, removed: 0 } },
  });
});

test("files identical to somebody else's commit are not a commit of this session", async () => {
  const { api } = server(["a.ts"], ["a.ts"], null);
  expect(await measureChanges(api, "sb", null)).toEqual({ committed: null, changes: {} });
});

test("a commit that is already known does not count twice", async () => {
  const { api, asked } = server(["b.ts"], []);
  const known = { hash: "3bcb267", branch: "feature", snapshot: "before" };
  const { committed } = await measureChanges(api, "sb", known);
  expect([committed, asked]).toEqual([known, ["before"]]);
});

test("once a commit was taken back, everything counts since the beginning", async () => {
  const { api, asked } = server(["a.ts"], [], null);
  const known = { hash: "3bcb267", branch: "feature", snapshot: "before" };
  expect(await measureChanges(api, "sb", known)).toEqual({
    committed: null,
    changes: { "a.ts": { added: 1, removed: 0 } },
  });
  expect(asked).toEqual(["before", undefined]);
});
