// The working half of the demo's script: executes an approved plan step by step, or makes the same edits directly. It
// reads every result.
import { type DemoCall, type DemoConversation, type Reply, reply } from "./conversation.ts";
import { couldNot, notTheSample, strangeFile, whatItIs } from "./explain.ts";
import { readView } from "./file-view.ts";
import { defaultWindow, type LimitWindow, namedWindow } from "./limit-windows.ts";
import { report, testRun } from "./report.ts";
import { type PlannedStep, stepsOf, windowOf } from "./steps.ts";
import { type Work, workFor } from "./work.ts";

const task = /limit|token|429|retry-after|fix|fail|test/i;

export function workNext(conversation: DemoConversation): Reply {
  const approved = conversation.added.findLast(({ text }) => text.includes("<approved-plan "));
  const last = conversation.said.at(-1);
  if (approved !== undefined) {
    const steps = stepsOf(conversation, approved.text);
    const window = windowOf(conversation, steps);
    const finished = conversation.calls.find(
      ({ at, result }) => at > approved.at && result?.includes("All steps are finished"),
    );
    const spokeAfter = finished !== undefined && last !== undefined && last.at > finished.at;
    if (!spokeAfter) return nextStep(conversation, steps, window, approved.at);
  }
  if (last === undefined || !task.test(last.text)) return reply(whatItIs);
  return fixDirectly(conversation, namedWindow(last.text) ?? defaultWindow, last.at);
}

function nextStep(
  conversation: DemoConversation,
  steps: PlannedStep[],
  window: LimitWindow,
  since: number,
): Reply {
  const from = reopenedAt(conversation, since);
  for (const step of steps) {
    const ended = endOf(conversation, step.id, step.id === from.stepId || from.later ? from.at : since);
    if (step.id === from.stepId) from.later = true;
    if (ended !== undefined) continue;
    return workOn(conversation, step, window, from.later ? from.at : since);
  }
  if (steps.length === 0)
    return reply(couldNot("Following the plan", "it has no steps that my script knows"));
  return testRun(conversation, since) ?? report(conversation, since);
}

/** The point at which a person went back to a step: that step and the later ones are open again. */
function reopenedAt(
  { added }: DemoConversation,
  since: number,
): { stepId: string; at: number; later: boolean } {
  const event = added.findLast(({ text, at }) => at > since && text.includes('source="rewind"'));
  const stepId = /before step \d+ \(([^)]+)\)/.exec(event?.text ?? "")?.[1];
  return { stepId: stepId ?? "", at: event?.at ?? since, later: false };
}

/** The call that ended a step, whether it was done or skipped. */
function endOf({ calls }: DemoConversation, id: string, since: number): DemoCall | undefined {
  return calls.find(
    (call) =>
      call.name === "update_plan" &&
      call.at > since &&
      !call.failed &&
      statusIn(call, id, ["done", "skipped"]) &&
      !checkFailed(call),
  );
}

function statusIn({ args }: DemoCall, id: string, statuses: string[]): boolean {
  const steps: unknown = args.steps;
  return (
    Array.isArray(steps) &&
    steps.some(
      (step: { id?: unknown; status?: unknown }) => step.id === id && statuses.includes(String(step.status)),
    )
  );
}

function checkFailed({ result }: DemoCall): boolean {
  return result?.includes("The checkpoint of step") ?? false;
}

function workOn(
  conversation: DemoConversation,
  step: PlannedStep,
  window: LimitWindow,
  since: number,
): Reply {
  const { calls } = conversation;
  const { work } = step;
  const active = calls.findLast(
    (call) => call.name === "update_plan" && call.at > since && statusIn(call, step.id, ["active"]),
  );
  const failed = calls.findLast(
    (call) => call.name === "update_plan" && call.at > since && statusIn(call, step.id, ["done"]),
  );
  if (failed !== undefined)
    return reply(couldNot(`The check of step ${step.id}`, failed.result ?? "it has no result"));
  if (active === undefined) {
    const begin = { name: "update_plan", args: { steps: [{ id: step.id, status: "active" }] } };
    const read = work === undefined ? [] : [{ name: "read_file", args: { path: work.path } }];
    const about = step.reworded
      ? `I cannot read the changed wording of step ${step.id}; I do what my script has for it. `
      : "";
    return reply(work === undefined ? "" : `${about}${work.saying(window)}`, begin, ...read);
  }
  if (active.failed) return reply(couldNot(`Starting step ${step.id}`, active.result ?? "it has no result"));
  if (work === undefined) {
    const note = "the demo's script does not know this step";
    return reply(`My script does not know step ${step.id}, so I skip it: ${step.description}`, {
      name: "update_plan",
      args: { steps: [{ id: step.id, status: "skipped", note }] },
    });
  }
  const edit = editNext(conversation, work, window, active.at - 1);
  if (edit.kind === "reply") return edit.reply;
  return reply("", {
    name: "update_plan",
    args: { steps: [{ id: step.id, status: "done", note: edit.note }] },
  });
}

/** The next call for one file, or the note that says the file is done. */
function editNext(
  { calls }: DemoConversation,
  work: Work,
  window: LimitWindow,
  since: number,
): { kind: "reply"; reply: Reply } | { kind: "done"; note: string } {
  const answer = (made: Reply) => ({ kind: "reply" as const, reply: made });
  const newest = (name: string) =>
    calls.findLast((call) => call.name === name && call.at > since && call.args.path === work.path);
  const edited = newest("edit_file");
  if (edited !== undefined && !edited.failed) return { kind: "done", note: work.note(window) };
  const tries = calls.filter(
    (call) => call.name === "edit_file" && call.at > since && call.args.path === work.path,
  ).length;
  if (edited !== undefined && (tries > 1 || !edited.result?.startsWith("REJECTED"))) {
    return answer(reply(couldNot(`Editing \`${work.path}\``, edited.result ?? "it has no result")));
  }
  const read = newest("read_file");
  if (read === undefined || (edited !== undefined && read.at < edited.at)) {
    return answer(
      reply(edited === undefined ? "" : "The file has changed since I read it, so I read it again.", {
        name: "read_file",
        args: { path: work.path },
      }),
    );
  }
  const view = readView(read);
  if (view === undefined) return answer(reply(notTheSample));
  const edits = work.edits(view, window);
  if (edits === "strange") return answer(reply(strangeFile(work.path)));
  if (edits === "already" || edits.length === 0) return { kind: "done", note: `${work.path} had it already` };
  return answer(reply("", { name: "edit_file", args: { path: work.path, base: view.version, edits } }));
}

/** Without a plan: run the failing test, edit each file, run the tests again. */
function fixDirectly(conversation: DemoConversation, window: LimitWindow, since: number): Reply {
  const first = conversation.calls.find((call) => call.name === "run_command" && call.at > since);
  if (first === undefined) {
    return reply(
      "First I look at what fails.",
      { name: "run_command", args: { command: "npm test" } },
      { name: "read_file", args: { path: "src/gateway.js" } },
    );
  }
  if (
    readView(
      conversation.calls.find(
        (call) => call.name === "read_file" && call.at > since && call.args.path === "src/gateway.js",
      ),
    ) === undefined
  ) {
    return reply(notTheSample);
  }
  if (/^exit 0\b/.test(first.result ?? ""))
    return reply(
      "All tests pass as they are, so I changed nothing. I am a scripted demo: fixing that one test is all I know.",
    );
  for (const work of workFor(window)) {
    const edit = editNext(conversation, work, window, since);
    if (edit.kind === "done") continue;
    const reads = edit.reply.calls[0]?.name === "read_file" && edit.reply.text === "";
    return reads ? reply(work.saying(window), ...edit.reply.calls) : edit.reply;
  }
  return testRun(conversation, since) ?? report(conversation, since);
}
