// The small sheets for a plan that waits: other ways to approve, rejecting with feedback, and leaving plan mode.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { savedByFresh, startsFresh } from "../app/starts-fresh.ts";
import { Sheet } from "../components/sheet.tsx";
import { askedNow, decide } from "../session/decisions.ts";
import { figuresInWords } from "../session/fresh-context.ts";
import { approve, approveSeen, reject } from "../session/intents.ts";
import { keptEdit } from "../session/kept-edit.ts";
import type { OpenSession } from "../session/open-session.ts";
import { aboutInWords, planComments } from "../session/plan-comments.ts";

export function ApproveSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { plan } = session.settled.value.head;
  const fresh = startsFresh(session);
  const figures = plan === null ? undefined : savedByFresh(session, plan);
  return (
    <Sheet
      title={isEdited(session) ? "Approve the plan as you edited it" : "Approve the plan"}
      onClose={onClose}
    >
      {plan !== null && <Comments session={session} plan={plan} words="These go to the model with it:" />}
      <div class="choices">
        <Choice
          title="Run it"
          meaning="Asks before it deletes or uses the network."
          onPick={() => approve(session, "normal", { fresh })}
        />
        <Choice
          title="Run it in Auto"
          meaning="Works without asking, but asks before the network (push, publish), and before anything no undo can restore."
          onPick={() => approve(session, "auto", { fresh })}
        />
        {figures !== undefined && (
          <Choice
            title={fresh ? "Run it with all that was read" : "Start fresh"}
            meaning={
              fresh
                ? `Over half of the context is used, so the other ways start fresh: ${figuresInWords(figures)}.`
                : `${figuresInWords(figures)}. Plan, answers, your words and the project's instructions stay; what was read is left behind. You keep the whole history.`
            }
            onPick={() => approve(session, "normal", { fresh: !fresh })}
          />
        )}
        <Choice
          title="Approve, but do not start"
          meaning="It starts when you say so."
          onPick={() => approve(session, "normal", { hold: true, fresh })}
        />
      </div>
    </Sheet>
  );
}

function isEdited(session: OpenSession): boolean {
  return keptEdit(session.draft.value, session.settled.value.head.plan) !== undefined;
}

export function RejectSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const text = session.draft.value.feedback;
  const { plan } = session.settled.value.head;
  const comments = plan === null ? [] : planComments(session, plan);
  const silent = text.trim() === "" && comments.length === 0;
  return (
    <Sheet
      title="Reject the plan"
      subtitle="It plans again with what you say."
      onClose={onClose}
      bar={
        <div class="actions">
          <button type="button" class="button plan grow" onClick={() => reject(session, text.trim())}>
            {silent ? "Reject without a comment" : "Reject and plan again"}
          </button>
        </div>
      }
    >
      {plan !== null && <Comments session={session} plan={plan} />}
      <textarea
        class="answer-text"
        rows={4}
        aria-label="What should be different?"
        placeholder="What should be different?"
        autofocus
        value={text}
        onInput={(event) => session.setDraft({ feedback: event.currentTarget.value })}
      />
    </Sheet>
  );
}

/** The comments on parts of the plan, and the reason for rejecting it. */
function Comments({ session, plan, words }: { session: OpenSession; plan: Plan; words?: string }) {
  const comments = planComments(session, plan);
  const feedback = words === undefined ? "" : session.draft.value.feedback.trim();
  if (comments.length === 0 && feedback === "") return null;
  return (
    <>
      {words !== undefined && <p class="muted">{words}</p>}
      <ul class="step-comments">
        {feedback !== "" && <li>{feedback}</li>}
        {comments.map((comment) => (
          <li key={comment.stepId ?? comment.quote}>
            <b>{aboutInWords(plan, comment)}:</b> {comment.text}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Denies the call that is shown now. */
export function DenySheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const next = askedNow(session)?.next;
  if (next === undefined) return null;
  const text = session.draft.value.denial;
  const silent = text.trim() === "";
  return (
    <Sheet
      title="Do not allow it"
      subtitle="The agent reads what you write here."
      onClose={onClose}
      bar={
        <div class="actions">
          <button
            type="button"
            class="button plan grow"
            onClick={() => {
              onClose();
              decide(session, next, "deny", text);
            }}
          >
            {silent ? "Deny without a reason" : "Deny"}
          </button>
        </div>
      }
    >
      <textarea
        class="answer-text"
        rows={3}
        aria-label="Why not?"
        placeholder="Why not, or what instead?"
        autofocus
        value={text}
        onInput={(event) => session.setDraft({ denial: event.currentTarget.value })}
      />
    </Sheet>
  );
}

interface LeavePlanSheetProps {
  session: OpenSession;
  version: number;
  to: "normal" | "auto";
  onClose(): void;
}

export function LeavePlanSheet({ session, version, to, onClose }: LeavePlanSheetProps) {
  return (
    <Sheet title="A plan waits for you" onClose={onClose}>
      <div class="choices">
        <Choice
          title={`Approve version ${version}${isEdited(session) ? " as you edited it" : ""}`}
          meaning="And run it."
          onPick={() => approveSeen(session, to, { fresh: startsFresh(session) })}
        />
        <Choice
          title="Just switch"
          meaning={`To ${to === "auto" ? "Auto" : "Normal"} mode. The plan is not started.`}
          onPick={() => {
            session.setMode(to);
            onClose();
          }}
        />
      </div>
    </Sheet>
  );
}

function Choice({ title, meaning, onPick }: { title: string; meaning: string; onPick(): void }) {
  return (
    <button type="button" class="choice" onClick={onPick}>
      <b>{title}</b>
      <span class="muted">{meaning}</span>
    </button>
  );
}
