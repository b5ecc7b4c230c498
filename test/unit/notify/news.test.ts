import { describe, expect, test } from "vitest";
import { newsOf } from "../../../functions/notify/news.ts";
import type { DoneReason, TurnEvent } from "../../../shared/event.ts";
import { parseTurnEvent } from "../../../shared/event.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const request = TurnRequest.parse({
  protocol: 1,
  turnId: "t1",
  attempt: 1,
  after: 0,
  sandboxId: "s1",
  mode: "normal",
  plan: null,
  messages: [
    {
      id: "u1",
      role: "user",
      content: "Add a retry to the uploader. It fails on slow lines.\nMore.",
      createdAt: 1,
      mode: "normal",
    },
  ],
  input: { type: "message", text: "go on" },
});

function event(name: string, data: unknown, id = 1): TurnEvent {
  const parsed = parseTurnEvent(name, data, id);
  if (!parsed) throw new Error(name);
  return parsed;
}

const done = (reason: DoneReason, more = {}) => event("turn.done", { reason, rounds: 1, ...more });
const permission = (name: string, args: unknown, risk = "remote") =>
  event("permission", {
    toolCallId: "c",
    name,
    arguments: JSON.stringify(args),
    risk,
    why: "it pushes",
  });
const question = (prompt: string, id = "q") => ({ id, label: "Database", prompt, type: "free_text" });

describe("a notification", () => {
  test("names the session like the phone does", () => {
    expect(newsOf(request, [done("stop")])).toMatchObject({
      title: "Add a retry to the uploader",
      sandboxId: "s1",
      turnId: "t1",
    });
  });

  test.each<[string, TurnEvent[], string, string]>([
    ["the end", [done("stop")], "end", "Done."],
    [
      "an end with open steps",
      [done("stop", { steps: { over: 1, total: 3 } })],
      "end",
      "Stopped after 1 of 3 steps.",
    ],
    ["a plan", [done("proposed")], "proposal", "There is a plan to approve."],
    [
      "a short command",
      [permission("run_command", { command: "git push origin main" }), done("permission")],
      "permission",
      "May it run this? git push origin main",
    ],
    [
      "a command that gets the network by it",
      [permission("run_command", { command: "npm ci" }, "network"), done("permission")],
      "permission",
      "May this use the network? npm ci",
    ],
    [
      "a long command",
      [permission("run_command", { command: `node -e '${"x".repeat(80)}'` }), done("permission")],
      "permission",
      "May it run a command?",
    ],
    [
      "a command of several lines",
      [permission("run_command", { command: "cat <<E\nsecret\nE" }), done("permission")],
      "permission",
      "May it run a command?",
    ],
    [
      "another call",
      [permission("delete_file", { path: "a" }), done("permission")],
      "permission",
      "It asks for your permission.",
    ],
  ])("%s", (_, events, kind, line) => {
    expect(newsOf(request, events)).toMatchObject({ kind, line });
  });

  test.each([
    ["turned around", "echo \u202egnp.tac"],
    ["invisible", "git push evil\u200b main"],
    ["pushed out of sight", `npm test${" ".repeat(50)}&& rm -rf ~`],
    ["beside a tab", "npm test\t&& id"],
  ])("keeps a command with a part that is %s off the lock screen", (_, command) => {
    const events = [permission("run_command", { command }), done("permission")];
    expect(newsOf(request, events)).toMatchObject({ line: "May it run a command?" });
  });

  test("marks what is hidden in a title, a question, a goal or an error", () => {
    const hostile = "Which \u202edatabase\u2066?";
    const asked = event("questions", { toolCallId: "c", round: 1, questions: [question(hostile)] });
    const error = { code: "internal", message: hostile, retryable: false };
    const marked = "Which ⟨U+202E⟩database⟨U+2066⟩?";
    const titled = { ...request, messages: [], input: { type: "message" as const, text: hostile } };
    expect(newsOf(titled, [asked, done("questions")])).toMatchObject({ title: marked, line: marked });
    expect(newsOf(titled, [event("turn.failed", { error })])).toMatchObject({ line: marked });
    const tabbed = { ...titled, input: { type: "message" as const, text: "a\tb" } };
    const failed = event("turn.failed", { error: { ...error, message: "a\tb" } });
    expect(newsOf(tabbed, [failed])).toMatchObject({ title: "a⟨U+0009⟩b", line: "a⟨U+0009⟩b" });
  });

  test("is not sent for a stop: the person pressed it", () => {
    expect(newsOf(request, [done("stopped")])).toBeUndefined();
  });

  test("shows questions in one line, the first one and how many more", () => {
    const asked = event("questions", {
      toolCallId: "c",
      round: 1,
      questions: [question(`Which\ndatabase ${"x".repeat(300)}`), question("And?", "r")],
    });
    const { line = "" } = newsOf(request, [asked, done("questions")]) ?? {};
    expect(line).toMatch(/^Which database x+… \(and 1 more\)$/);
    expect(line.length).toBeLessThanOrEqual(140);
  });
});

describe("what can be decided from the notification", () => {
  const asks = (events: TurnEvent[]) => newsOf(request, events)?.ask;
  const command = (args: Record<string, unknown>, risk = "remote") => {
    const asked = { toolCallId: "c", name: "run_command", arguments: JSON.stringify(args), risk, why: "w" };
    return event("permission", asked);
  };
  const choice = (more: Record<string, unknown> = {}, batch: Record<string, unknown> = {}) =>
    event("questions", {
      toolCallId: "c",
      round: 1,
      questions: [
        {
          ...{ id: "q", label: "Database", prompt: "Which database?", type: "single_select" },
          options: [{ label: "Postgres" }, { label: "SQLite" }],
          ...more,
        },
      ],
      ...batch,
    });

  test("a completely shown command, by the call's id", () => {
    const events = [command({ command: "git push", timeoutMs: 5_000 }), done("permission")];
    expect(asks(events)).toEqual({ toolCallId: "c", command: "git push" });
  });

  test.each<[string, TurnEvent[]]>([
    ["a command too long to show", [command({ command: `git push ${"x".repeat(80)}` })]],
    ["a command of several lines", [command({ command: "git push\nrm x" })]],
    ["a command in another folder", [command({ command: "git push", cwd: "sub" })]],
    ["a command with a secret", [command({ command: "push [redacted: token]" })]],
    ["a command that may have run", [command({ command: "git push" }, "outcome_unknown")]],
    ["a command in which something hides", [command({ command: "git push \u202e" })]],
    ["a command with two spaces, which a phone may draw as one", [command({ command: "rm -r a  b" })]],
    ["two commands", [command({ command: "git push" }), command({ command: "git pull" })]],
    ["another call", [permission("delete_file", { path: "a" })]],
  ])("no question with %s", (_, events) => {
    expect(asks([...events, done("permission")])).toBeUndefined();
  });

  test("one question with two options, which the line names", () => {
    const news = newsOf(request, [choice(), done("questions")]);
    expect(news).toMatchObject({
      line: "Which database? Postgres or SQLite",
      ask: { toolCallId: "c", options: ["Postgres", "SQLite"] },
    });
  });

  test("with what the model has found out, where that fits too", () => {
    const asked = choice({}, { summary: "The app keeps\norders." });
    expect(newsOf(request, [asked, done("questions")])?.line).toBe(
      "The app keeps orders. Which database? Postgres or SQLite",
    );
  });

  test.each<[string, TurnEvent]>([
    ["three options", choice({ options: ["a", "b", "c"].map((label) => ({ label })) })],
    ["an option that is explained", choice({ options: [{ label: "a", description: "b" }] })],
    ["a label too long for a button", choice({ options: [{ label: "x".repeat(21) }] })],
    ["several answers", choice({ type: "multi_select" })],
    ["a free answer", choice({ type: "free_text", options: undefined })],
    ["a question too long to show", choice({ prompt: "Which? ".repeat(20) })],
    ["a question in which something hides", choice({ prompt: "Which\u2066 one?" })],
    ["a question with a tab, which a lock screen may draw as nothing", choice({ prompt: "Which\tone?" })],
    ["a question with a secret", choice({ prompt: "Is [redacted: token] still used?" })],
    ["an option in which something hides", choice({ options: [{ label: "a" }, { label: "b\u200b" }] })],
    ["a summary too long to show", choice({}, { summary: "What I know. ".repeat(10) })],
    ["an answer that was not understood", choice({}, { details: [{ id: "q", problem: "which?" }] })],
  ])("not %s", (_, asked) => {
    expect(asks([asked, done("questions")])).toBeUndefined();
  });
});
