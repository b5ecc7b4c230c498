// Sends an answer that was tapped on a notification, once the turn that asked has been received, and only to the
// question for which it was tapped.
import { effect } from "@preact/signals";
import { callArguments } from "../../shared/session/call-facts.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { KeptAnswer } from "../storage/kept-answer.ts";
import { isAway, refusedInWords } from "../turn/connection.ts";
import type { OpenSession } from "./open-session.ts";

/**
 * `sent`: the server has begun the turn with the answer. `late`: the question is no longer open. `waits`: there is no
 * connection. `refused`: the reason in words.
 */
export type Given = { is: "sent" | "late" | "waits" } | { is: "refused"; why: string };

/** `session` must be the writer, or become it. Resolves with `waits` if `over` aborts. Never rejects. */
export function giveAnswer(session: OpenSession, answer: KeptAnswer, over: AbortSignal): Promise<Given> {
  return new Promise((resolve) => {
    let sent: "no" | "soon" | "yes" = "no";
    const look = (): Given | undefined => {
      const connection = session.connection.value;
      const { turn } = session.outbox.value;
      const begun = session.begun.value;
      const state = session.settled.value;
      if (!session.writes.value) return undefined;
      if (turn !== null) {
        if (carries(turn.input, answer) && begun) return { is: "sent" };
        if (connection.kind === "differs")
          return { is: "refused", why: "The session continued on another device." };
        // A turn that was just posted is in the state `reconnecting` at first.
        const begins = connection.kind === "reconnecting" && connection.tries === 0;
        return isAway(connection) && !begins ? { is: "waits" } : undefined;
      }
      if (sent === "soon") return undefined;
      if (sent === "yes")
        return connection.kind === "refused"
          ? { is: "refused", why: refusedInWords(connection.error) }
          : { is: "sent" };
      const input = answerInput(state, answer);
      if (input === undefined) return { is: "late" };
      sent = "soon";
      // Run outside of the effect, which reads the state that this changes.
      queueMicrotask(() => {
        sent = "yes";
        session.send(input);
      });
      return undefined;
    };
    const given = (what: Given) => {
      over.removeEventListener("abort", stop);
      resolve(what);
      queueMicrotask(() => dispose());
    };
    const stop = () => given({ is: "waits" });
    over.addEventListener("abort", stop, { once: true });
    const dispose = effect(() => {
      const what = look();
      if (what !== undefined) given(what);
    });
  });
}

/** Returns whether `input` gives the same answer, whichever way it was given. */
function carries(input: TurnInput, { toolCallId }: KeptAnswer): boolean {
  if (input.type === "permit")
    return [input, ...(input.others ?? [])].some((sent) => sent.toolCallId === toolCallId);
  return input.type === "answers" && input.toolCallId === toolCallId;
}

/** The input of the turn that gives `kept`; undefined unless exactly that question is still open. */
export function answerInput(
  state: SessionState,
  { turnId, toolCallId, answer }: KeptAnswer,
): TurnInput | undefined {
  const waiting = waitingFor(state);
  if (state.head.turn?.id !== turnId) return undefined;
  if ("decision" in answer) {
    if (waiting.kind !== "permission" || waiting.asked.length > 1) return undefined;
    const { permission } = waiting;
    const isSame =
      permission.toolCallId === toolCallId && callArguments(permission.arguments).command === answer.command;
    return isSame ? { type: "permit", toolCallId, decision: answer.decision } : undefined;
  }
  const [question, ...others] = waiting.kind === "questions" ? waiting.asked.questions : [];
  if (waiting.kind !== "questions" || waiting.asked.toolCallId !== toolCallId) return undefined;
  if (question === undefined || others.length > 0) return undefined;
  const labels = (question.options ?? []).map(({ label }) => label);
  const isSame = labels.join("\n") === answer.options.join("\n") && answer.picked < labels.length;
  const answers = [{ id: question.id, raw: String(answer.picked + 1) }];
  return isSame ? { type: "answers", toolCallId, answers, run: false } : undefined;
}
