// The model must be told nothing of an imported session that the person cannot read. Each place of a file
// where text fits has a distinct word, and the next turn's prompt contains only words that the transcript
// shows.
// @module-tag long
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { render } from "../../functions/context/render.ts";
import { historyForTurn } from "../../shared/session/history.ts";
import { git, record } from "./evil-session.ts";
import { test } from "./fixture.ts";
import { composer, pair, say } from "./phone.ts";
import { heardOnly } from "./scene-messages.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handrail-words-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
const message = (fields: object) => ({
  event: "message",
  data: { message: { id: `m${++count}`, content: "", createdAt: 1, mode: "normal", ...fields } },
});
const happened = (subkind: string, source: string, content: string, data: object = {}) =>
  message({ role: "event", content, extra: { event: { subkind, source, data } } });
const called = (
  name: string,
  args: object | string,
  content: string,
  more: object = {},
  id = `c${count}`,
) => [
  message({
    role: "assistant",
    finish: "tool_calls",
    toolCalls: [{ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) }],
  }),
  message({ role: "tool", toolCallId: id, name, ok: true, content, ...more }),
];
const facts = (path: string, diff: string) => ({
  meta: {
    ...{ round: 1, maxRounds: 1, contextTokens: 1, budgetTokens: 1 },
    facts: { files: [{ path, added: 1, removed: 0, diff }] },
  },
});
const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n+zqdiffshown\n";

/**
 * The events are in the order in which the engine writes them. The transcript has a row for each `…shown`
 * event.
 */
const events = [
  {
    event: "turn.started",
    data: { turnId: "t", mode: "normal", model: record.model, toolProtocol: "native", format: 1 },
  },
  message({ role: "system", content: "zqsystem" }),
  message({ role: "user", content: "What was said. zqusershown" }),
  message({
    role: "assistant",
    finish: "stop",
    content: `zqtextshown [a](https://example.com/zqpath "zqtitle")\n\n[b]: https://example.com "zqdefinition"\n\n\`\`\`ts zqinfo\n1\n\`\`\`\n\n| zqcellshown |\n|-|\n| 1 | zqextracell |\n`,
  }),
  ...called(
    "run_command",
    { command: "echo zqcommandshown", why: "zqwhy", zqkey: 1 },
    "zqoutputshown\n[meta] zqmeta",
  ),
  ...called("run_command", '{"command": "ls", zqbroken', "zqbrokenresultshown"),
  ...called("read_file", { path: "zqreadshown", note: "zqreadnote" }, "1zqa|zqlineshown"),
  ...called("list_files", { path: "zqlistshown", pattern: "zqlistpattern" }, "zqlistedshown"),
  ...called("search_files", { pattern: "zqsearchshown", path: "zqsearchpath" }, "zqfoundshown"),
  ...called("get_plan", { note: "zqgetplan" }, "zqplantextshown"),
  ...called(
    "edit_file",
    { path: "zqotherpath", edits: "zqedits" },
    "zqeditresult",
    facts("zqpathshown", diff),
  ),
  ...called("write_file", { path: "w.txt", content: "zqcontent" }, "zqwroteshown"),
  ...called("zqtool", { any: "zqtoolargument" }, "zqtoolresult"),
  ...called(
    "ask_user",
    { questions: [{ id: "a", label: "L", prompt: "zqprompt", type: "text" }] },
    "L: zqanswer",
  ),
  {
    event: "ledger",
    data: {
      decisions: [{ id: "a", round: 1, label: "zqlabelshown", answer: "zqanswershown", chosen: [] }],
      updates: [],
      text: "zqledgertext",
    },
  },
  ...called("set_plan", { goal: "zqgoal" }, "zqsetresult"),
  ...called("update_plan", { note: "zqupdate" }, "zqupdateresult"),
  ...called("exit_plan", { summary: "zqexit" }, "zqexitresult"),
  ...called("update_plan", {}, "zqfailedshown", { ok: false }),
  ...called("run_command", { command: "ls" }, "zqfirstresult", {}, "twice"),
  message({ role: "tool", toolCallId: "twice", name: "run_command", ok: true, content: "zqlastresultshown" }),
  message({ role: "tool", toolCallId: "nobody", name: "run_command", ok: true, content: "zqorphan" }),
  happened("system_notice", "zqsource", "zqnoticeshown"),
  happened("zqsubkind", "engine", "zqunheardshown"),
  happened("plan_delta", "update_plan", "zqdeltashown", { seq: 1, zqdata: "zqdata" }),
  happened("tool_decision", "zqdecider", "zqdecision", { decision: "once", toolCallId: "twice" }),
  happened("mode_switch", "zqswitcher", "zqswitch", { from: "plan", to: "normal", planVersion: 1 }),
  { event: "step", data: { stepId: "s1", status: "active" } },
  happened("verifier_report", "zqverifier", "zqreport", {
    kind: "checkpoint",
    command: "zqcheck",
    passed: true,
  }),
  happened("verifier_report", "engine", "zqotherreport", { kind: "failed", stepId: "s1" }),
  happened("verifier_report", "engine", "Finished: zqfinishshown\nzqbelow", { kind: "finish" }),
  happened("cancellation_note", "engine", "zqstop"),
  { event: "turn.done", data: { reason: "stop", rounds: 1 } },
];

test("the next turn sends the model nothing from a file that the transcript does not show", async ({
  edge,
  page,
}) => {
  edge.play(heardOnly);
  await pair(page, edge);
  const file = join(folder, "words.handrail.json");
  const entries = events.map((event, index) => ({ ...event, turnId: "t", id: index + 1 }));
  const sessions = [{ record, entries }];
  await writeFile(file, JSON.stringify({ handrail: "sessions", version: 1, sessions }));
  await page.goto(`${edge.url}/#/settings`);
  await page.locator("input[type=file]").setInputFiles(file);
  await page
    .getByRole("dialog")
    .getByText(`Clone ${new URL(git).host}`)
    .click();
  await composer(page).and(page.locator(":enabled")).waitFor();
  await say(page, "Hello");
  await expect.poll(() => edge.posts.length).toBe(1);
  const messages = edge.posts[0]?.messages ?? [];
  const told = new Set(JSON.stringify(render(historyForTurn(messages), "")).match(/zq[a-z]+/g));

  await page.getByText("Said.", { exact: true }).waitFor();
  // Unfolds everything that can be unfolded.
  for (const closed of ["main [aria-expanded=false]", "main details:not([open]) > summary"])
    for (let left = await page.locator(closed).count(); left > 0; left -= 1)
      await page.locator(closed).first().click();
  const screen = new Set((await page.locator("main").allInnerTexts()).join(" ").match(/zq[a-z]+/g));
  expect([...told].filter((word) => !screen.has(word))).toEqual([]);
  // The model is told these as text: parts that the markdown renderer leaves out, and a call without a card.
  const spelled = ["definition", "extracell", "info", "path", "title", "tool", "toolargument", "toolresult"];
  expect([...told].filter((word) => !word.endsWith("shown")).sort()).toEqual(
    spelled.map((word) => `zq${word}`),
  );
  // All words that should be on the screen are there.
  const shown = events.flatMap((event) => JSON.stringify(event).match(/zq[a-z]+shown/g) ?? []);
  expect(shown.filter((word) => !screen.has(word))).toEqual([]);
  expect(shown.filter((word) => !told.has(word))).toEqual([]);
});
