// Turns what a person taps or types in a session into the inputs of turns. All inputs are chosen here.
import { signal } from "@preact/signals";
import type { UserMessage } from "../../shared/message.ts";
import { type Mode, nextMode } from "../../shared/mode.ts";
import { isPlanFirst } from "../../shared/plan/plan-first.ts";
import type { Answer } from "../../shared/plan/question.ts";
import { approvalText } from "../../shared/session/approval-text.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import type { RunMode, TurnInput } from "../../shared/turn.ts";
import { closeSheet, openSheet } from "../browser/sheet.ts";
import { sentWhatWasTyped } from "../browser/typing.ts";
import type { Draft } from "../storage/draft.ts";
import { findOutWhether } from "../words/told-words.ts";
import { answersOf, currentAnswers, setAnswer } from "./answers.ts";
import { commandsIn, parseCommand } from "./commands.ts";
import { sentAgain } from "./edit-again.ts";
import { keptEdit } from "./kept-edit.ts";
import type { OpenSession } from "./open-session.ts";
import { openings, pickModel } from "./openings.ts";
import { planComments } from "./plan-comments.ts";
import { scrollTarget } from "./scroll-target.ts";

/** The id of the session in which the person sent `/plan` without a goal: its next message is the goal. */
export const askedForGoal = signal<string | null>(null);
/** The id of the session in which the person chose to write a message instead of answering. */
export const sayInstead = signal<string | null>(null);

/** By session: the turn that ran when the person began to write the text in the composer. */
const begunDuring = new WeakMap<OpenSession, string>();

/** Called when the person types the first letter of a message. */
export function noteWhatRuns(session: OpenSession): void {
  const turnId = session.outbox.value.turn?.turnId;
  if (turnId === undefined) begunDuring.delete(session);
  else begunDuring.set(session, turnId);
}

/** The question appeared while the message was being written, so the message is not an answer to it. */
function isFromBefore(session: OpenSession): boolean {
  const during = begunDuring.get(session);
  return during !== undefined && during === session.state.value.head.turn?.id;
}

/** The text of a message that has only attachments, because an input must have text. */
const seeAttached = "See what is attached.";

/** The person's newest message; undefined if they have not sent any. */
export function lastSaid(session: OpenSession): UserMessage | undefined {
  for (const entry of session.state.value.entries.toReversed()) {
    const message = entry.event === "message" ? entry.data.message : undefined;
    if (message?.role === "user" && message.content !== approvalText) return message;
  }
  return undefined;
}

/** Handles a line from the composer. Returns words for the person if the line means nothing. */
export function say(session: OpenSession, text: string): string | undefined {
  sentWhatWasTyped();
  const command = parseCommand(text, commandsIn(session.record.value.sandboxId));
  const clears = { text: "" };
  switch (command.kind) {
    case "unknown":
      return command.text;
    case "say":
      sayText(session, command.text);
      return undefined;
    case "mode":
      session.setDraft(clears);
      wantMode(session, command.mode);
      return undefined;
    case "open":
      session.setDraft(clears);
      return openings[command.what](session);
    case "model":
      session.setDraft(clears);
      pickModel(session, command.wants);
      return undefined;
    case "stop":
      session.setDraft(clears);
      pressStop(session);
      return undefined;
    case "plan":
      session.setDraft(clears);
      wantPlan(session, command.goal);
      return undefined;
  }
}

function sayText(session: OpenSession, text: string): void {
  const id = session.record.value.id;
  const { attachments } = session.draft.value;
  const said = text === "" && attachments.length > 0 ? seeAttached : text;
  if (said === "") return;
  if (sentAgain(session)) pressStop(session);
  const clears = { text: "", attachments: [] };
  const files = attachments.length === 0 ? {} : { attachments };
  const planFirst = askedForGoal.value === id;
  askedForGoal.value = null;
  if (session.outbox.value.turn !== null) {
    session.enqueue(said, attachments);
    session.setDraft(clears);
    return;
  }
  const waiting = waitingFor(session.state.value);
  if ((waiting.kind === "questions" || waiting.kind === "permission") && isFromBefore(session)) {
    session.enqueue(said, attachments);
    session.setDraft(clears);
    return;
  }
  const asks = waiting.kind === "questions" && !isPlanFirst(waiting.asked.questions);
  if (waiting.kind === "questions" && asks && sayInstead.value !== id) {
    const { index } = currentAnswers(session, waiting.asked);
    const question = waiting.asked.questions[index];
    if (question !== undefined) setAnswer(session, waiting.asked, question.id, said, index + 1);
    session.setDraft({ text: "" });
    openSheet({ kind: "questions" });
    return;
  }
  sayInstead.value = null;
  const message: TurnInput = { type: "message", text: said, ...files };
  begin(session, message, planFirst ? { mode: "plan", clears } : { clears });
}

/** Sends the input and scrolls to the end, where what comes of it appears. */
function begin(session: OpenSession, ...[input, rest]: Parameters<OpenSession["send"]>): boolean {
  scrollTarget.value = { to: "newest" };
  return session.send(input, rest);
}

/**
 * `/plan` plans at once if the line contains a goal or the person has sent a message before; otherwise it asks for the
 * goal. A running turn is stopped first.
 */
function wantPlan(session: OpenSession, goal: string): void {
  const said = session.state.value.head.saidCount > 0 || session.outbox.value.turn !== null;
  if (!said && goal === "") {
    session.setMode("plan");
    askedForGoal.value = session.record.value.id;
    return;
  }
  askedForGoal.value = null;
  const { attachments } = session.draft.value;
  const files = attachments.length === 0 ? {} : { attachments };
  const clears = { attachments: [] };
  if (!said) session.send({ type: "message", text: goal, ...files }, { mode: "plan", clears });
  else void session.stopThen(goal === "" ? { type: "replan" } : { type: "replan", text: goal }, "plan");
}

/** Changes the mode of the next request. Leaving plan mode while a plan waits opens a sheet. */
export function wantMode(session: OpenSession, mode: Mode): void {
  const { head } = session.state.value;
  if (head.mode === mode) return;
  askedForGoal.value = null;
  const running = session.outbox.value.turn !== null;
  if (head.mode === "plan" && mode !== "plan" && waitingFor(session.state.value).kind === "proposal") {
    openSheet({ kind: "leave-plan", to: mode });
    return;
  }
  if (running && mode === "plan") void session.stopThen({ type: "replan" }, "plan");
  session.setMode(mode);
}

export function cycleMode(session: OpenSession): void {
  wantMode(session, nextMode(session.state.value.head.mode));
}

/** Stops the running turn, if there is one. */
export function pressStop(session: OpenSession): void {
  askedForGoal.value = null;
  void session.requestStop().catch(() => undefined);
}

export interface Approving {
  /** Approves the plan, but starts it later. */
  hold?: boolean;
  /** Whether to begin with a clean context; absent keeps everything that was read. */
  fresh?: boolean;
}

export function approve(session: OpenSession, mode: RunMode, { hold, fresh }: Approving = {}): void {
  const waiting = waitingFor(session.state.value);
  closeSheet();
  if (waiting.kind !== "proposal") return;
  const { planVersion, planHash, plan } = waiting;
  // The edge approves an edited plan only with its full text, so that what the card shows is what runs.
  const planText = keptEdit(session.draft.value, plan);
  const comments = planComments(session, plan);
  const feedback = session.draft.value.feedback.trim();
  begin(
    session,
    {
      ...{ type: "approve", planVersion, planHash, mode },
      ...(hold === true ? { hold } : {}),
      ...(planText === undefined ? {} : { planText }),
      ...(fresh === true ? { fresh } : {}),
      ...(feedback === "" ? {} : { feedback }),
      ...(comments.length > 0 ? { comments } : {}),
    },
    { clears: { feedback: "", stepComments: null } },
  );
}

/** Approves with one tap. If there are comments that would be sent unseen, the sheet shows them first. */
export function approveSeen(session: OpenSession, mode: RunMode, approving: Approving = {}): void {
  if (session.draft.value.feedback.trim() === "") approve(session, mode, approving);
  else openSheet({ kind: "approve" });
}

export function reject(session: OpenSession, feedback: string): void {
  const waiting = waitingFor(session.state.value);
  sentWhatWasTyped();
  closeSheet();
  if (waiting.kind !== "proposal") return;
  const { plan, planVersion, planHash } = waiting;
  const comments = planComments(session, plan);
  begin(
    session,
    { type: "reject", planVersion, feedback, ...(comments.length > 0 ? { comments } : {}) },
    {
      clears: {
        feedback: "",
        stepComments: null,
        seenPlan: { version: planVersion, hash: planHash, markdown: plan.markdown },
      },
    },
  );
}

/** Turns a text, or a Markdown file of the workspace, into a plan that waits for approval. */
export function takePlan(session: OpenSession, from: { text: string } | { path: string }): boolean {
  return begin(session, { type: "take_plan", ...from }, { mode: "plan" });
}

/** Starts the plan that was approved for later. */
export function startApproved(session: OpenSession): void {
  closeSheet();
  begin(session, { type: "message", text: "Start the plan." }, { mode: "normal" });
}

/** The model continues the plan at the point where it stopped; a failed step is open again. */
export function continuePlan(session: OpenSession): void {
  closeSheet();
  begin(session, { type: "continue" });
}

/** Leaves out the failed step; the model continues with the next one. */
export function skipStep(session: OpenSession, number: number): void {
  closeSheet();
  begin(session, { type: "message", text: `Skip step ${number} and continue with the next one.` });
}

/** The person ends the running plan; files stay unchanged. */
export function closePlan(session: OpenSession, as: "done" | "abandoned"): void {
  closeSheet();
  session.send({ type: "close", as });
}

/** Restores the workspace from before the step, and opens this step and the later ones again. */
export function rewind(session: OpenSession, stepId: string): void {
  session.send({ type: "rewind", stepId });
}

/** Sends a message from outside the composer, at once or after the running turn. */
export function tell(session: OpenSession, text: string, clears: Partial<Draft>): void {
  if (session.outbox.value.turn === null) session.send({ type: "message", text }, { clears });
  else {
    session.enqueue(text);
    session.setDraft(clears);
  }
}

/** Settles a call that may have run: it runs again, counts as done, or is left undecided. */
export function settle(session: OpenSession, decision: "again" | "done" | "deny"): void {
  const waiting = waitingFor(session.state.value);
  if (waiting.kind !== "permission") return;
  session.send({ type: "permit", toolCallId: waiting.permission.toolCallId, decision });
}

/** Asks the agent to find out, without running it again, whether a call ran. */
export function findOut(session: OpenSession): void {
  const waiting = waitingFor(session.state.value);
  closeSheet();
  if (waiting.kind !== "permission") return;
  const { command, path } = callArguments(waiting.permission.arguments);
  const what = command ?? `${waiting.permission.name} ${path ?? ""}`.trim();
  begin(session, { type: "message", text: findOutWhether(what) });
}

/** Sends the answers that were given. With `run`, the plan is executed once it is patched. */
export function answer(session: OpenSession, run: boolean): void {
  const waiting = waitingFor(session.state.value);
  closeSheet();
  if (waiting.kind !== "questions") return;
  const answers: Answer[] = answersOf(session, waiting.asked);
  const { toolCallId } = waiting.asked;
  begin(session, { type: "answers", toolCallId, answers, run }, { clears: { answers: null } });
}
