import { expect, test } from "vitest";
import { cardWords, lookedAt, lookedInWords } from "../../../pwa/transcript/call-words.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "../session/events.ts";

test("a tool that has no words of its own is shown by its name, alone and among quiet ones", () => {
  const events = [started("t1"), assistant("a1", "", [["l1", "git_log", {}]]), toolResult("l1", "git_log")];
  const { entries, head } = numbered(events).reduce(reduce, emptySession());
  const [row] = transcriptRows(entries, head.plan);
  if (row?.kind !== "call") throw new Error("no card");
  expect(cardWords(row.view)).toMatchObject({ verb: "Used", object: "git_log", state: "ok" });
  const plan = { ...row.view, call: { ...row.view.call, name: "get_plan" } };
  expect(lookedInWords([row.view, plan])).toBe("Used `git_log`");
  expect([lookedAt(row.view.call), lookedAt(plan.call)]).toEqual(["git_log", "the plan"]);
});
