// The names of turns in the list of undo points.
import { expect, test } from "vitest";
import { undoText } from "../../../pwa/session/undo-text.ts";
import { emptySession } from "../../../shared/session/session-state.ts";

const { head } = emptySession();
const asked = (toolCallId: string, name: string, args: object) => ({
  toolCallId,
  name,
  arguments: JSON.stringify(args),
  risk: "network" as const,
  why: "it uses the network",
});
const waits = {
  ...head,
  permission: asked("c1", "run_command", { command: "npm install left-pad" }),
  alsoAsked: [asked("c2", "delete_file", { path: "old.ts" }), asked("c3", "call_tool", {})],
};

test("a decision on a call names its command, file or tool, and how many more were decided on", () => {
  const permit = { type: "permit", toolCallId: "c1", decision: "once" } as const;
  expect(undoText(permit, waits)).toBe("You allowed `npm install left-pad`");
  expect(undoText({ ...permit, decision: "never" }, waits)).toBe("You denied `npm install left-pad`");
  expect(undoText({ ...permit, toolCallId: "c2", decision: "deny" }, waits)).toBe("You denied `old.ts`");
  expect(undoText({ ...permit, toolCallId: "c3", decision: "again" }, waits)).toBe(
    "You decided on `call_tool`",
  );
  const foreign = { ...waits, permission: asked("c1", "mcp__tracker__find_issue", { id: 4 }) };
  expect(undoText(permit, foreign)).toBe("You allowed `find_issue from tracker`");
  const change = { ...asked("c1", "update_plan", {}), risk: "plan_change" as const };
  expect(undoText(permit, { ...waits, permission: change })).toBe("You allowed a change of the plan");
  const ticks = {
    ...waits,
    permission: asked("c1", "run_command", { command: "git commit -m 'Add `limit`'" }),
  };
  expect(undoText(permit, ticks)).toBe("You allowed `` git commit -m 'Add `limit`' ``");
  const others = [{ toolCallId: "c2", decision: "deny" as const }];
  expect(undoText({ ...permit, others }, waits)).toBe(
    "You allowed `npm install left-pad` and decided on 1 more",
  );
  const long = { ...waits, permission: asked("c1", "run_command", { command: "x".repeat(500) }) };
  expect(undoText({ ...permit, others }, long)).toBe(
    `You allowed \`${"x".repeat(99)}…\` and decided on 1 more`,
  );
  expect(undoText(permit, head)).toBe("You allowed a call");
});

test("a message is called by its first 160 characters, and what writes nothing is no undo point", () => {
  expect(undoText({ type: "message", text: "x".repeat(200) }, head)).toBe(`${"x".repeat(159)}…`);
  const planning = { ...head, mode: "plan" as const };
  expect(undoText({ type: "message", text: "look" }, planning)).toBeUndefined();
  expect(undoText({ type: "answers", toolCallId: "q", answers: [], run: true }, planning)).toBe(
    "You answered",
  );
  expect(undoText({ type: "reject", planVersion: 1, feedback: "" }, head)).toBeUndefined();
});
