import { expect, test } from "vitest";
import type { Message } from "../../../shared/message.ts";
import { ranUnasked } from "../../../shared/session/ran-unasked.ts";
import type { Entry } from "../../../shared/session/session-state.ts";

let last = 0;
const entry = (turnId: string, data: object): Entry => {
  last += 1;
  return { turnId, id: last, ...data } as Entry;
};
const said = (turnId: string, message: object): Entry =>
  entry(turnId, {
    event: "message",
    data: { message: { id: `m${last}`, createdAt: 1, mode: "auto", ...message } as Message },
  });
const asked = (turnId: string, text: string) => said(turnId, { role: "user", content: text });
const called = (turnId: string, id: string, command: string) =>
  said(turnId, {
    ...{ role: "assistant", content: "" },
    toolCalls: [{ id, name: "run_command", arguments: JSON.stringify({ command }) }],
  });
const result = (turnId: string, id: string, mode: "normal" | "auto" = "auto") =>
  said(turnId, {
    ...{ role: "tool", name: "run_command", toolCallId: id, ok: true, content: "", mode },
    meta: { facts: { exitCode: 0 } },
  });
const permission = (turnId: string, id: string) =>
  entry(turnId, { event: "permission", data: { permissionId: "p", toolCallId: id } });

test("what ran before a permission is still listed when the turn after it ends", () => {
  const entries = [
    asked("t1", "Before"),
    called("t1", "c0", "make"),
    result("t1", "c0"),
    asked("t2", "Refactor it"),
    called("t2", "c1", "npm test"),
    result("t2", "c1"),
    called("t2", "c2", "git reset --hard"),
    permission("t2", "c2"),
    result("t3", "c2"),
    called("t3", "c3", "npm run lint"),
    result("t3", "c3"),
  ];
  const { commands, turnIds } = ranUnasked(entries);
  expect(commands).toEqual(["npm test", "npm run lint"]);
  expect([...turnIds]).toEqual(["t2", "t3"]);
});

test("another mode, and a command that did not run, are not listed", () => {
  const refused = said("t1", {
    ...{ role: "tool", name: "run_command", toolCallId: "c2", ok: false, content: "No.", mode: "auto" },
    meta: { facts: {} },
  });
  expect(
    ranUnasked([
      asked("t1", "Go"),
      called("t1", "c1", "make"),
      result("t1", "c1", "normal"),
      called("t1", "c2", "make again"),
      refused,
    ]).commands,
  ).toEqual([]);
});
