import { describe, expect, test } from "vitest";
import { commandHints, hints, parseCommand } from "../../../pwa/session/commands.ts";
import { titleFrom, titleOfGoal } from "../../../shared/session/title.ts";

describe("a typed line", () => {
  test.each([
    ["hello", { kind: "say", text: "hello" }],
    ["/plan", { kind: "plan", goal: "" }],
    ["/plan  make it fast\nand safe", { kind: "plan", goal: "make it fast\nand safe" }],
    ["/mode auto", { kind: "mode", mode: "auto" }],
    ["/model plan gpt-5", { kind: "model", wants: { of: "plan", name: "gpt-5" } }],
    ["/model normal", { kind: "model", wants: { of: "run", name: "" } }],
    ["/model", { kind: "model", wants: { name: "" } }],
    ["/model gpt-5-high", { kind: "model", wants: { name: "gpt-5-high" } }],
    ["/model auto gpt-5  high", { kind: "model", wants: { of: "run", name: "gpt-5", effort: "high" } }],
    ["/model plan default", { kind: "model", wants: { of: "plan", name: "", effort: "" } }],
    ["/stop", { kind: "stop" }],
    ["/diff", { kind: "open", what: "diff" }],
    ["/changes", { kind: "open", what: "diff" }],
    ["/export ", { kind: "open", what: "export" }],
    ["/usr/bin/env is missing", { kind: "say", text: "/usr/bin/env is missing" }],
  ])("%s", (line, command) => {
    expect(parseCommand(line)).toEqual(command);
  });

  test("that names no command or no mode gets a correction", () => {
    expect(parseCommand("/nope").kind).toBe("unknown");
    expect(parseCommand("/mode fast").kind).toBe("unknown");
  });
});

describe("commands of the project", () => {
  const command = (name: string, more = {}) => ({
    ...{ name, path: `.claude/commands/${name}.md`, kind: "command" as const, description: `does ${name}` },
    ...more,
  });
  const project = [command("review", { arguments: "[file]" }), command("git:tidy"), command("plan")];

  test("are offered after ours, with their arguments; a built-in name stays ours", () => {
    expect(commandHints("/", project).slice(hints.length)).toEqual([
      { insert: "/review ", label: "/review [file]", meaning: "does review", group: "project" },
      { insert: "/git:tidy", label: "/git:tidy", meaning: "does git:tidy", group: "project" },
    ]);
    expect(commandHints("/git", project).map(({ insert }) => insert)).toEqual(["/git:tidy"]);
    expect(parseCommand("/plan x", project)).toEqual({ kind: "plan", goal: "x" });
  });

  test("take no name of ours, however it is written", () => {
    const posing = [command("Stop"), command("UNDO"), command("Review")];
    expect(commandHints("/", posing).slice(hints.length)).toMatchObject([{ insert: "/Review" }]);
    expect(parseCommand("/Stop", posing)).toEqual({ kind: "stop" });
    expect(parseCommand("/Review", posing)).toEqual({ kind: "say", text: "/Review" });
  });

  test("are sent as typed; text that is not a command still says so", () => {
    expect(parseCommand("/review a.ts", project)).toEqual({ kind: "say", text: "/review a.ts" });
    expect(parseCommand("/git:tidy", project)).toEqual({ kind: "say", text: "/git:tidy" });
    expect(parseCommand("/reviews", project).kind).toBe("unknown");
  });
});

test("every command that the help names is understood", () => {
  expect(hints.map(({ insert }) => insert.split(" ")[0])).toEqual(
    expect.arrayContaining([
      "/plan",
      "/mode",
      "/stop",
      "/undo",
      "/diff",
      "/files",
      "/model",
      "/export",
      "/help",
    ]),
  );
  for (const { insert } of hints) expect(parseCommand(insert).kind, insert).not.toBe("unknown");
});

test("commands are offered while one is typed, and never for a message", () => {
  expect(commandHints("/pl").map(({ insert }) => insert)).toEqual(["/plan", "/plan "]);
  expect(commandHints("plan")).toEqual([]);
  expect(commandHints("/plan a goal")).toEqual([]);
});

test("a session is named after its first request, shortened", () => {
  expect(titleFrom("/plan Fix the flaky cron test.")).toBe("Fix the flaky cron test");
  expect(titleFrom("Look around in `src`.")).toBe("Look around in src");
  expect(titleFrom("Limit each token to 100 requests a minute. Keep the per-IP limit.")).toBe(
    "Limit each token to 100 requests a minute",
  );
  expect(titleFrom("Make every one of the handlers in the gateway answer with JSON")).toBe(
    "Make every one of the handlers in the gateway…",
  );
});

test("a session is named after its plan's goal, a long one after its first part if that is enough", () => {
  expect(titleOfGoal("# Limit each `token`.")).toBe("Limit each token");
  expect(
    titleOfGoal(
      "TimeoutError tells which limit ran out (`timeout` or `totalTimeout`) and its milliseconds, without breaking existing callers.",
    ),
  ).toBe("TimeoutError tells which limit ran out");
  expect(
    titleOfGoal("So, we make every one of the handlers of the gateway answer with JSON."),
  ).toBeUndefined();
});
