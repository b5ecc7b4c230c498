// The header of a session: its name; where it works, its state, time and cost; and a button that shows its progress.
import type { ComponentChildren } from "preact";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { currentStep, stepNumber } from "../../shared/plan/steps.ts";
import { contextOf, contextShare, fullShare } from "../../shared/session/context-figures.ts";
import { goBack } from "../browser/route.ts";
import { isWide } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import { withoutUncounted } from "../session/count-changes.ts";
import { askedNow } from "../session/decisions.ts";
import { keptEdit } from "../session/kept-edit.ts";
import type { OpenSession } from "../session/open-session.ts";
import { turnFigures } from "../session/turn-figures.ts";
import { isStill } from "../turn/connection.ts";
import { headerWords, withoutBranch } from "../words/header-words.ts";
import { dollars } from "../words/model-words.ts";
import { Header } from "./header.tsx";
import { Icon } from "./icon.tsx";
import { InlineCode } from "./inline-code.tsx";
import { oneLineOf } from "./shown-text.ts";
import { TurnClock } from "./turn-clock.tsx";

export function SessionHeader({ session }: { session: OpenSession }) {
  const { workspace, sandboxId, ref, branch = ref, demo, title } = session.record.value;
  const state = session.settled.value;
  const connection = session.connection.value;
  const asked = askedNow(session);
  const words = headerWords(
    state,
    connection,
    asked && asked.next !== undefined,
    keptEdit(session.draft.value, state.head.plan) !== undefined,
  );
  const live = words.text === "Live";
  const turn = turnFigures(state);
  const context = contextOf(state);
  const full = context === undefined ? 0 : contextShare(context);
  const sends = session.outbox.value.turn !== null;
  const runs = turn?.runs === true && sends;
  const status = (
    <span role="status" class={live ? "visually-hidden" : ""}>
      <InlineCode text={withoutBranch(withoutUncounted(words.text, sandboxId, state.head), branch)} />
    </span>
  );
  const where = branch !== undefined && <span class="head-branch">{oneLineOf(branch)}</span>;
  const parts: ComponentChildren[] = [
    words.about && (demo ? <b>Scripted demo</b> : oneLineOf(workspace)),
    words.about && demo && words.text === "" && oneLineOf(workspace),
    words.about && where,
    !live && words.text !== "" && status,
    // The branch follows what waits for the person, because the end of the line may be cut off; not after a sentence.
    !words.about && !words.text.endsWith(".") && where,
    turn !== undefined &&
      words.about &&
      connection.kind !== "refused" &&
      !isStill(connection) &&
      (runs || !sends) && <TurnClock since={turn.since} until={runs ? undefined : turn.until} />,
    isWide.value && state.head.model !== null && oneLineOf(state.head.model.id),
    (words.about || isWide.value) && state.head.spent.cost > 0 && dollars(state.head.spent.cost),
    full > fullShare && `context ${Math.round(100 * full)} % full`,
  ];
  return (
    <Header
      title={title}
      subtitle={
        <>
          {parts
            .filter((part) => part !== false)
            .flatMap((part, index) => (index === 0 ? [part] : [" · ", part]))}
          {(live || words.text === "") && status}
        </>
      }
      onBack={isWide.value ? undefined : () => goBack({ page: "sessions" })}
      onTitle={() => openSheet({ kind: "menu" })}
    >
      {isWide.value && (
        <button
          type="button"
          class="icon-button"
          aria-label="Session menu"
          aria-haspopup="dialog"
          onClick={() => openSheet({ kind: "menu" })}
        >
          <Icon name="more" />
        </button>
      )}
      <button
        type="button"
        class="head-facts"
        aria-haspopup="dialog"
        onClick={() => openSheet({ kind: "places" })}
      >
        <Badge
          mode={state.head.mode}
          step={placeIn(state.head.plan)}
          steps={state.head.plan?.steps.length ?? 0}
        />
        <span class="visually-hidden">Progress, and places to go to</span>
      </button>
    </Header>
  );
}

/** The number of the current step, from 1, whether it runs, has failed or has not begun; 0 = no plan is active. */
function placeIn(plan: Plan | null): number {
  const step = plan !== null && isUnderWay(plan.status) ? currentStep(plan) : undefined;
  return plan === null || step === undefined ? 0 : stepNumber(plan, step.id);
}

function Badge({ mode, step, steps }: { mode: string; step: number; steps: number }) {
  if (mode === "plan") return <span class="badge plan">PLAN</span>;
  if (step > 0) {
    return (
      <span class="badge go" role="img" aria-label={`Step ${step} of ${steps}`}>
        {step} / {steps}
      </span>
    );
  }
  return mode === "auto" ? <span class="badge auto">AUTO</span> : <Icon name="places" size={20} />;
}
