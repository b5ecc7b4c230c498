// What counts as changed after a commit: nothing that the commit contains, and everything that it left out.
import { expect, test } from "vitest";
import type { Api } from "../../../pwa/api/client.ts";
import { isUntouched, mayHaveChanged, measureChanges } from "../../../pwa/session/count-changes.ts";
import type { Changes } from "../../../shared/api.ts";
import type { Entry } from "../../../shared/session/session-state.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { changesSinceInWords } from "../../../shared/session/session-summary.ts";

const diffOf = (path: string) =>
  `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,2 @@\n one\n+two\n`;

const newest = {
  commit: `3bcb267${"0".repeat(33)}`,
  branch: "feature",
  snapshot: "commit",
  made: true,
  unread: false,
};
const committed = { hash: "3bcb267", branch: "feature", snapshot: "commit", moved: false, unread: false };

/** A server whose session changed `files`, of which commits contain `held`. */
function server(
  files: readonly string[],
  held: readonly string[],
  countedFrom: Changes["countedFrom"] | null = newest,
) {
  const asked: (string | undefined)[] = [];
  const answer = { others: "", truncated: false, mixed: [], ...(countedFrom && { countedFrom }) };
  const commits = held.length === 0 ? [] : [{ commit: "3bcb267 Add limits", files: [...held] }];
  const api = {
    changes: async (_id: string, since?: string) => {
      asked.push(since);
      return { ...answer, own: files.map(diffOf).join(""), commits };
    },
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

test("after a commit, the changes count from its own snapshot", async () => {
  const { api, asked } = server(["a.ts"], []);
  expect(await measureChanges(api, "sb", null)).toEqual({
    committed,
    changes: { "a.ts": { added: 1, removed: 0 } },
  });
  expect(asked).toEqual([undefined, "commit"]);
});

test("files that somebody else's commit contains are not counted", async () => {
  const { api } = server(["a.ts", "b.ts"], ["a.ts"], null);
  expect(await measureChanges(api, "sb", null)).toEqual({
    committed: null,
    changes: { "b.ts": { added: 1, removed: 0 } },
  });
});

test("a commit that is already known is counted from at once, also under a new message", async () => {
  const { api, asked } = server(["b.ts"], []);
  const measured = await measureChanges(api, "sb", { ...committed, hash: "0000000" });
  expect([measured.committed, asked]).toEqual([committed, ["commit"]]);
});

test("the commit of a branch that the session moved to, and one that could not be read, are not called its own or exact", async () => {
  const words = async (more: object) => {
    const { api } = server(["a.ts"], [], { ...newest, ...more });
    const { head } = emptySession();
    return changesSinceInWords({ ...head, ...(await measureChanges(api, "sb", null)) });
  };
  expect([await words({}), await words({ made: false }), await words({ unread: true })]).toEqual([
    "Committed 3bcb267 on feature · 1 file, +1 −0 since",
    "Moved to 3bcb267 on feature · 1 file, +1 −0 since",
    "Committed 3bcb267 on feature · 1 file, +1 −0 since it was noticed",
  ]);
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
