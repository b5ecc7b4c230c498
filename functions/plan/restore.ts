// Restores the files of a step's snapshot, on the person's undo (rewind, in any mode) or by `onFail: rollback`. The
// events that follow are made from the sandbox's result alone: the round that asked and the ending of a stopped turn
// make the same ones. Git does not go back: the model is told which commits contain the work.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { DurableDraft, TurnEvent } from "../../shared/event.ts";
import { EventMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { Plan } from "../../shared/plan/plan-file.ts";
import { findStep, reopenFrom, stepNumber } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { RestoreValue } from "../../shared/snapshot.ts";
import type { PendingCall } from "../calls/prepared.ts";
import { eventMessage, type ToolTurn } from "../calls/tool-turn.ts";

/** The state after the files are restored: the plan, and the notice, still without its time. */
export const Rewinding = z.object({ plan: Plan, notice: EventMessage });
export type Rewinding = z.infer<typeof Rewinding>;

/** What a rewind of `plan` to `stepId` will give, for the turn's context. */
export function rewindTo(
  plan: Plan,
  stepId: string,
  { turnId, mode }: { turnId: string; mode: Mode },
): Rewinding {
  const reopened = reopenFrom(plan, stepId);
  const data = { stepId, ...stepWords(plan, stepId) };
  return {
    plan: { ...reopened, status: reopened.status === "done" ? "executing" : reopened.status },
    notice: {
      id: `${turnId}.rewind`,
      role: "event",
      content: `The person went back to before step ${stepNumber(plan, stepId)} (${stepId}): what you did to files since is undone; that step and the later ones are open again.`,
      createdAt: 0,
      mode,
      extra: { event: { subkind: "system_notice", source: "rewind", data } },
    },
  };
}

/** Throws the sandbox's error if the snapshot cannot be restored; nothing has changed then. */
export async function* rewind(
  turn: ToolTurn,
  { snapshot, rewinding }: { snapshot: string; rewinding: Rewinding | undefined },
  stop: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const key = rewindKey(turn.env.request.turnId);
  const [result] = yield* turn.runCalls([{ key, op: "restore", args: { snapshot, own: true } }], {
    access: "write",
  });
  // The ending of a stopped turn reports the outcome.
  if (stop.aborted) return;
  if (!result?.ok) {
    throw new HandrailError(
      result?.error?.code ?? "internal",
      result?.error?.message ?? "The snapshot could not be restored.",
    );
  }
  for (const draft of rewound(rewinding, result)) turn.emit(draft);
}

/** Key of the call that restores the files. */
export function rewindKey(turnId: string): string {
  return `${turnId}/0/rewind`;
}

/** The events that follow from that call, if it succeeded. */
export function rewound(rewinding: Rewinding | undefined, result: CallResult | undefined): DurableDraft[] {
  if (!rewinding || !result?.ok) return [];
  return [
    { event: "plan", data: { plan: rewinding.plan } },
    {
      event: "message",
      data: {
        message: {
          ...rewinding.notice,
          ...noticeOf(rewinding.notice, result),
          createdAt: result.at,
        },
      },
    },
  ];
}

/** What the notice says once the files are back. */
function noticeOf(notice: EventMessage, result: CallResult): Partial<EventMessage> {
  const { event } = notice.extra;
  return {
    content: [notice.content, ...takenBackText(result)].join("\n"),
    extra: { event: { ...event, data: { ...event.data, ...takenBackData(result) } } },
  };
}

/** Key of the call that restores the files after a failed checkpoint of `pending`. */
export function rollbackKey(pending: Pick<PendingCall, "key">): string {
  return `${pending.key}/restore`;
}

/** The events that follow from that call, and the text for the model. */
export function rolledBack(
  turn: { plan: Plan | null; mode: Mode },
  pending: PendingCall,
  { stepId, result, isOlder }: { stepId: string; result: CallResult | undefined; isOlder: boolean },
): { drafts: DurableDraft[]; text: string } {
  const ok = result?.ok ?? false;
  const reopened = ok ? laterReopened(turn.plan, stepId) : undefined;
  const message = eventMessage(turn, {
    id: `${pending.call.id}.rollback`.slice(0, 300),
    at: result?.at ?? pending.at,
    subkind: "verifier_report",
    source: "rollback",
    content: `Files ${ok ? "" : "could not be "}restored to before step ${stepId}.`,
    data: {
      ...{ kind: "rollback", toolCallId: pending.call.id, stepId, ...stepWords(turn.plan, stepId) },
      ...{ restored: ok, ...takenBackData(result) },
    },
  });
  const drafts: DurableDraft[] = [{ event: "message", data: { message } }];
  if (reopened) drafts.push({ event: "plan", data: { plan: reopened } });
  if (ok && !isOlder)
    drafts.push({
      event: "step",
      data: { stepId, status: "active", note: "taken back, to be tried again", noteBy: "engine" },
    });
  const text = ok
    ? [
        `The files are back as they were before step ${stepId}.${reopened ? " The later steps are open again." : ""} Take another way, or ask.`,
        ...takenBackText(result),
      ].join("\n")
    : `Rolling back failed: ${result?.error?.message ?? "no result"}. Call ask_user.`;
  return { drafts, text };
}

/** The words of the step: in another version, its id may belong to another step. */
function stepWords(plan: Plan | null, stepId: string): { description?: string } {
  const step = findStep(plan, stepId);
  return step ? { description: step.description } : {};
}

/** The plan with the later steps open again, if any had begun: their work is gone with the files. */
function laterReopened(plan: Plan | null, stepId: string): Plan | undefined {
  const later = plan?.steps.slice(stepNumber(plan, stepId)) ?? [];
  if (!plan || !later[0] || later.every(({ status }) => status === "pending")) return undefined;
  return reopenFrom(plan, later[0].id);
}

/** Names beyond this number are only counted. */
const maxNames = 40;

/** Lines for the result of a `restore`; none if it says nothing about files. */
export function takenBackText(result: CallResult | undefined): string[] {
  const { success, data } = z.safeParse(RestoreValue, result?.value);
  if (!success || data.files === undefined) return [];
  const { files, committed, mixed = [] } = data;
  const stayed =
    mixed.length > 0 ? [`Left as they are, for others changed the same lines: ${pathList(mixed)}`] : [];
  if (files.length === 0) return stayed.length > 0 ? stayed : ["No file had changed since then."];
  const of = (now: string) => files.filter((file) => file.now === now).map(({ path }) => path);
  const parts = [
    ["changed back", of("changed")],
    ["made since, now gone", of("gone")],
    ["deleted since, there again", of("there")],
  ] as const;
  const lines = parts
    .filter(([, paths]) => paths.length > 0)
    .map(([word, paths]) => `- ${word}: ${pathList(paths)}`);
  const commits = committed
    ? [
        `Commit ${committed.commit} holds the work in ${pathList(committed.files)} all the same: HEAD was not moved, and \`git status\` shows these files as changed.`,
      ]
    : [];
  return ["Files taken back; what was read of them before is out of date:", ...lines, ...stayed, ...commits];
}

/** Data of the notice that carries those lines: the model has been told of these files. */
function takenBackData(result: CallResult | undefined): { takenBack?: string[] } {
  const { success, data } = z.safeParse(RestoreValue, result?.value);
  return success && data.files !== undefined ? { takenBack: data.files.map(({ path }) => path) } : {};
}

function pathList(paths: readonly string[]): string {
  const more = paths.length - maxNames;
  return `${paths.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
