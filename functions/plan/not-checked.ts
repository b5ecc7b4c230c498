// Why a report was not checked, one sentence for each reason: the model reads the same words wherever it happens.
import type { EventMessage, Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint } from "../../shared/plan/plan-file.ts";
import { isEventOf } from "../../shared/session/history.ts";

export const notChecked = {
  noCheck: "Not checked: the step has no check.",
  skipped: "Not checked: the step was skipped.",
  denied: "Not checked: the person did not allow what would have run.",
  unasked: "Not checked: the person would have to allow the command, and was not asked.",
  stopped: "Not checked: the check was stopped while it ran, so it neither passed nor failed.",
  notRun: "Not checked: the sandbox could not run the check, so it neither passed nor failed.",
  outOfTime: (check: Pick<Checkpoint, "timeoutMs">) =>
    `Not checked: the check was ended by its limit of ${checkLimitMs(check) / 1_000} s, so it neither passed nor failed.`,
} as const;

/** Whether a message reports that the check of this step could not be run. */
export function wasNotRun(message: Message, stepId: string): message is EventMessage {
  return (
    isEventOf(message, "verifier_report") &&
    message.extra.event.source === "checkpoint" &&
    message.extra.event.data.stepId === stepId &&
    message.extra.event.data.notRun !== undefined
  );
}
