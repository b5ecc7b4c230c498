// Permissions of one answer that a decision for the session already covers.
import { expect, test } from "vitest";
import { covers } from "../../../pwa/session/permit-input.ts";
import type { Permission } from "../../../shared/session/waiting.ts";

const asked = (command: string, more: Partial<Permission> = {}): Permission => ({
  ...{ toolCallId: command, name: "run_command", arguments: JSON.stringify({ command }) },
  ...{ risk: "destructive" as const, why: "It deletes.", program: "rm", subcommand: "" },
  ...{ only: { command, cwd: "" } },
  ...more,
});

test("a permission for the session covers the same command in the same folder, and no other", () => {
  const first = asked("rm -r a");
  expect(covers(first, asked("rm -r a", { toolCallId: "again" }))).toBe(true);
  expect(covers(first, asked("rm -r b"))).toBe(false);
  expect(covers(first, asked("rm -r a", { only: { command: "rm -r a", cwd: "sub" } }))).toBe(false);
  expect(covers(first, asked("rm -r a", { risk: "remote" }))).toBe(false);
});

test("the network that is open for the session is open for every command", () => {
  const network = (command: string) => asked(command, { risk: "network" });
  expect(covers(network("npm install"), network("curl example.org"))).toBe(true);
});

test("of several commands, one that is covered decides nothing about the others", () => {
  const first = asked("rm -r a");
  expect(covers(first, asked("rm -r a", { commands: ["rm -r a", "rm -r b"] }))).toBe(false);
});

test("what is never remembered covers nothing", () => {
  const { program: _, ...once } = asked("rm -r a");
  expect(covers(once, { ...once, toolCallId: "again" })).toBe(false);
});
