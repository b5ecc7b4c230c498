// The head of a session: its name, what it waits for or how the connection is, mode or step, context.
import { contextOf } from "../../shared/session/context-figures.ts";
import { activeStepNumber } from "../../shared/session/session-summary.ts";
import { goBack } from "../browser/route.ts";
import { isWide } from "../browser/screen.ts";
import { openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";
import { headerWords } from "../words/header-words.ts";
import { Header } from "./header.tsx";
import { Icon } from "./icon.tsx";
import { InlineCode } from "./inline-code.tsx";

export function SessionHeader({ session }: { session: OpenSession }) {
  const { workspace, demo, title } = session.record.value;
  const state = session.settled.value;
  const words = headerWords(state, session.connection.value);
  const context = contextOf(state);
  return (
    <Header
      title={title}
      subtitle={
        <>
          {words.about && (demo ? <b>Scripted demo</b> : workspace)}
          {words.about && demo && words.text === "" && ` · ${workspace}`}
          {words.about && words.text !== "" && " · "}
          <span role="status">
            <InlineCode text={words.text} />
          </span>
        </>
      }
      onBack={isWide.value ? undefined : () => goBack({ page: "sessions" })}
      onTitle={() => openSheet({ kind: "menu" })}
    >
      <button
        type="button"
        class="head-facts"
        aria-haspopup="dialog"
        onClick={() => openSheet({ kind: "places" })}
      >
        <Badge
          mode={state.head.mode}
          step={activeStepNumber(state.head.plan)}
          steps={state.head.plan?.steps.length ?? 0}
        />
        {context === undefined ? (
          <Icon name="places" size={20} />
        ) : (
          <ContextRing tokens={context.tokens} budget={context.budget} />
        )}
        <span class="visually-hidden">Go to a place in this session</span>
      </button>
    </Header>
  );
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
  return mode === "auto" ? <span class="badge auto">AUTO</span> : null;
}

const radius = 7;
const around = 2 * Math.PI * radius;

function ContextRing({ tokens, budget }: { tokens: number; budget: number }) {
  const share = Math.min(1, tokens / Math.max(1, budget));
  const words = `Context ${Math.round(share * 100)} % full`;
  return (
    <svg
      class={share > 0.85 ? "ring full" : "ring"}
      width="22"
      height="22"
      viewBox="0 0 20 20"
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <circle cx="10" cy="10" r={radius} />
      <circle
        class="arc"
        cx="10"
        cy="10"
        r={radius}
        stroke-dasharray={`${share * around} ${around}`}
        transform="rotate(-90 10 10)"
      />
    </svg>
  );
}
