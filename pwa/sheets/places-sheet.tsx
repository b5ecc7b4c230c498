// The figures of the session (time, cost, tokens, context), and links to places in it.
import type { ComponentChildren } from "preact";
import { contextOf, contextShare, fullShare } from "../../shared/session/context-figures.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { config } from "../app/app-state.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { Sheet } from "../components/sheet.tsx";
import { TurnClock } from "../components/turn-clock.tsx";
import { Words } from "../markdown/markdown.tsx";
import { lastSaid } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { type ScrollTarget, scrollTarget } from "../session/scroll-target.ts";
import { turnFigures } from "../session/turn-figures.ts";
import { spentInWords } from "../words/model-words.ts";
import { withoutStepIds } from "../words/plain-words.ts";

const stepWords = { pending: "", active: "paused", done: "done", failed: "failed", skipped: "skipped" };

export function PlacesSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { head, entries } = session.settled.value;
  const said = lastSaid(session);
  const begun = head.plan?.steps.filter((step) => step.status !== "pending") ?? [];
  // Decisions also count: their messages may not be loaded yet, and the jump loads them.
  const asked = entries.some(({ event }) => event === "ledger") || (head.plan?.decisions.length ?? 0) > 0;
  const runs = session.outbox.value.turn !== null;
  const to = (place: ScrollTarget) => () => {
    onClose();
    scrollTarget.value = place;
  };
  return (
    <Sheet title="Progress" onClose={onClose}>
      <Facts session={session} />
      <MenuGroup title="Go to">
        <MenuRow icon="normal" title="Latest message" onPick={to({ to: "newest" })} />
        {head.saidCount > 0 && (
          <MenuRow
            icon="export"
            title="Your last message"
            words={
              said !== undefined && (
                <span class="one-line">
                  <InlineCode text={withoutStepIds(said.content)} />
                </span>
              )
            }
            onPick={to({ to: "said" })}
          />
        )}
        {asked && <MenuRow icon="ask" title="Last questions" onPick={to({ to: "asked" })} />}
        {begun.map((step) => (
          <MenuRow
            key={step.id}
            icon="plan"
            title={<Words text={step.description} still />}
            words={`Step ${(head.plan?.steps.indexOf(step) ?? 0) + 1} · ${runs && step.status === "active" ? "runs" : stepWords[step.status]}`}
            onPick={to({ to: "step", stepId: step.id })}
          />
        ))}
      </MenuGroup>
    </Sheet>
  );
}

function Facts({ session }: { session: OpenSession }) {
  const state = session.settled.value;
  const { model, spent } = state.head;
  const turn = turnFigures(state);
  const context = contextOf(state);
  const provider = config.value?.providers.find(({ id }) => id === model?.provider);
  const percent = context === undefined ? 0 : Math.round(100 * contextShare(context));
  const inTurn = turn && spentInWords(turn.spent);
  const inSession = spentInWords(spent);
  return (
    <dl class="figures">
      {turn !== undefined && (
        <Fact name={turn.runs ? "This turn" : "Last turn"}>
          <TurnClock since={turn.since} until={turn.runs ? undefined : turn.until} />
          {inTurn !== undefined && ` · ${inTurn}`}
        </Fact>
      )}
      {inSession !== undefined && <Fact name="Session">{inSession}</Fact>}
      {context !== undefined && (
        <Fact name="Context">
          {percent} % of {Math.round(context.budget / 1000)}k tokens
          <meter
            min={0}
            max={100}
            high={100 * fullShare}
            value={percent}
            aria-label={`Context ${percent} % full`}
          />
          {context.trimmed > 0 &&
            `${plural(context.trimmed, "older message")} shortened or left out for the model; here they are whole`}
        </Fact>
      )}
      {model !== null && (
        <Fact name="Model">
          {provider?.demo === true ? "Scripted demo" : `${provider?.label ?? model.provider} · ${model.id}`}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
