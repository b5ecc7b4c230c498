// One version of the plan, in full: its changes, goal, steps with their checks, decisions, undo, and other versions.
import { useEffect, useRef } from "preact/hooks";
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import { proseOf } from "../../shared/plan/markdown.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { goalParts } from "../../shared/session/title.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { openSheet } from "../browser/sheet.ts";
import { Command } from "../components/command.tsx";
import { Sheet } from "../components/sheet.tsx";
import { DiffText } from "../diff/diff-text.tsx";
import { WholeMarkdown, WholeWords } from "../markdown/whole.tsx";
import type { OpenSession } from "../session/open-session.ts";
import type { SeenPlan } from "../storage/draft.ts";
import { bodyWithoutGoal } from "../transcript/body-without-goal.ts";
import { NoSteps } from "../transcript/no-steps.tsx";
import { PlanSteps } from "../transcript/plan-steps.tsx";
import { versionInWords } from "../transcript/plan-words.ts";
import type { PlanPlace } from "./edited-in-sheet.ts";
import { planBar } from "./plan-bar.tsx";
import { changedSinceSeen, checkResults, openPoints, planVersions } from "./plan-facts.ts";
import { QuoteComments, SelectionComment } from "./quote-comment.tsx";
import { SavePlan } from "./save-plan.tsx";
import { SecondOpinion } from "./second-opinion.tsx";
import { StepTools } from "./step-tools.tsx";

const statusWords = {
  draft: "draft",
  proposed: "waiting for you",
  approved: "approved, not started",
  executing: "running",
  done: "done",
  abandoned: "abandoned",
};

interface PlanSheetProps {
  session: OpenSession;
  plan: Plan;
  place: PlanPlace;
  onClose(): void;
}

export function PlanSheet({ session, plan, place, onClose }: PlanSheetProps) {
  const { entries } = session.settled.value;
  const { title, rest } = goalParts(plan.goal);
  const newest = place === "newest";
  const idle = session.outbox.value.turn === null;
  const running = plan.status === "executing" && idle ? "paused" : statusWords[plan.status];
  const status = { newest: running, older: "replaced since", ahead: "not sent yet" }[place];
  const by = plan.source === "person" ? "edited by you" : "written by the model";
  const results = checkResults(entries, plan);
  const open = newest && waitingFor(session.settled.value).kind === "proposal" && session.writes.value;
  useSeen(session, plan, newest);
  const whole = useRef<HTMLDivElement>(null);
  const bar = place === "older" ? undefined : planBar(session, place === "ahead");
  return (
    <Sheet
      title={`Plan · ${versionInWords(plan)}`}
      subtitle={`${status} · ${by}`}
      onClose={onClose}
      about={plan.hash}
      bar={
        bar && (
          <>
            {open && <SelectionComment session={session} plan={plan} within={whole} />}
            {bar}
          </>
        )
      }
      tall
    >
      <div ref={whole} class="plan-whole">
        {newest && <PlanNews plan={plan} seen={session.draft.value.seenPlan} />}
        <h3 class="goal">
          <WholeWords text={title} />
        </h3>
        {rest !== "" && (
          <p class="plan-rest">
            <WholeWords text={rest} />
          </p>
        )}
        {open && <QuoteComments session={session} plan={plan} />}
        {plan.steps.length > 0 ? (
          <PlanSteps
            steps={plan.steps}
            full
            below={(step, number) => (
              <StepTools
                session={session}
                plan={plan}
                step={step}
                number={number}
                check={newest ? results.get(step.id) : undefined}
                open={open}
                undoes={newest && idle && session.writes.value}
              />
            )}
          />
        ) : (
          <>
            <NoSteps />
            <WholeMarkdown text={bodyWithoutGoal(plan.markdown, plan.goal)} />
          </>
        )}
        {plan.decisions.length > 0 && (
          <section>
            <h4>Decided</h4>
            {plan.decisions.map((decision) => (
              <p key={decision.id}>
                <span class="muted">{decision.label}:</span> {decision.answer}
              </p>
            ))}
          </section>
        )}
        {open && <SecondOpinion session={session} plan={plan} />}
        <EndChecks plan={plan} />
        <Section title="Rollback" lines={plan.rollback} />
        <Section title="Open points" lines={openPoints(plan)} />
        <Prose plan={plan} />
        {newest && session.writes.value && <SavePlan session={session} plan={plan} />}
        <Versions session={session} plan={plan} />
      </div>
    </Sheet>
  );
}

/** The plan counts as seen when the person leaves the sheet; until then the changes are shown first. */
function useSeen(session: OpenSession, { version, hash, markdown }: Plan, newest: boolean): void {
  useEffect(() => {
    if (!newest) return;
    return () => {
      if (session.draft.value.seenPlan?.hash !== hash)
        session.setDraft({ seenPlan: { version, hash, markdown } });
    };
  }, [hash, newest]);
}

function EndChecks({ plan: { checkpoints } }: { plan: Plan }) {
  if (checkpoints.length === 0) return null;
  return (
    <section>
      <h4>Checked at the end</h4>
      {checkpoints.map((check, index) => (
        <p key={index}>
          {typeof check === "string" ? <WholeWords text={check} /> : <Command text={check.command} />}
        </p>
      ))}
    </section>
  );
}

function Section({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h4>{title}</h4>
      {lines.map((line) => (
        <p key={line}>
          <WholeWords text={line} />
        </p>
      ))}
    </section>
  );
}

/** The plan's text without its goal and steps. */
function Prose({ plan: { markdown, steps } }: { plan: Plan }) {
  if (steps.length === 0) return null;
  const { preamble, notes } = proseOf(markdown);
  const text = [preamble, notes].filter((part) => part !== "").join("\n\n");
  if (text === "") return null;
  return (
    <section>
      <h4>Notes</h4>
      <WholeMarkdown text={text} />
    </section>
  );
}

/** The other versions. Those that are not loaded are fetched. */
function Versions({ session, plan }: { session: OpenSession; plan: Plan }) {
  const { entries, head } = session.settled.value;
  const newest = head.plan ?? plan;
  const others = planVersions(entries, newest).filter(({ version }) => version !== plan.version);
  const further = newest.version > others.length + 1 && entries.length < head.entryCount;
  if (others.length === 0 && !further) return null;
  return (
    <section>
      <h4>Other versions</h4>
      <div class="versions">
        {others.map((other) => (
          <button
            key={other.version}
            type="button"
            class="button soft"
            onClick={() => openSheet({ kind: "plan", plan: other })}
          >
            Version {other.version}
            {other === newest && " · newest"}
          </button>
        ))}
        {further && (
          <button type="button" class="button quiet" onClick={() => void session.showEarlier()}>
            Look further back
          </button>
        )}
      </div>
    </section>
  );
}

function PlanNews({ plan, seen }: { plan: Plan; seen: SeenPlan | null }) {
  const changes = changedSinceSeen(plan, seen);
  if (seen === null || changes.length === 0) return null;
  const from = seen.version === plan.version ? "you last looked" : `version ${seen.version}, which you saw`;
  return (
    <section class="plan-news">
      <h3>Changed since {from}</h3>
      <ul>
        {changes.map((change) => (
          <li key={change}>
            <WholeWords text={change === "No plan changes" ? "Only the text around the steps." : change} />
          </li>
        ))}
      </ul>
      <details>
        <summary>As text</summary>
        <DiffText text={unifiedDiff(seen.markdown, plan.markdown, "plan", "plan")} />
      </details>
    </section>
  );
}
