// The project's hooks: every command in full, and the person's decision on them. None of them runs before that.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as z from "zod/mini";
import { HooksState, type HookTime } from "../../shared/hooks.ts";
import { api, inWords } from "../app/app-state.ts";
import { CommandBox } from "../components/command.tsx";
import type { OpenSession } from "../session/open-session.ts";
import "../styles/hooks.css";

const times: Record<HookTime, string> = {
  beforeTurn: "Before each turn",
  afterTurn: "After each turn",
  beforeStep: "Before each step",
  afterStep: "After each step",
  beforeChange: "Before each change",
  afterChange: "After each change",
};

/** `hash` identifies the hooks that this part of the transcript is about; "" if they could not be read. */
export function HooksCard({ session, hash }: { session: OpenSession; hash: string }) {
  const hooks = useSignal<HooksState | null>(null);
  const problem = useSignal<string | null>(null);
  const later = useSignal(false);
  const { sandboxId } = session.record.value;
  const rests = session.outbox.value.turn === null;
  useEffect(() => {
    api
      .send(`/sandboxes/${sandboxId}/hooks`)
      .then(async (answer) => {
        hooks.value = z.parse(HooksState, await answer.json());
      })
      .catch((error: unknown) => {
        problem.value = inWords(error).message;
      });
  }, [rests]);
  const now = hooks.value;
  if (problem.value !== null) return <p class="muted">Hooks of the project: {problem.value}</p>;
  // If the hooks have changed since, a card further down shows them.
  if (now === null || (now.hash !== hash && now.problem === undefined)) return null;
  if (now.problem !== undefined) return <p class="muted">Hooks of the project: {now.problem}</p>;
  if (now.allowed) return <p class="muted">You allowed the project's hooks.</p>;
  if (later.value)
    return (
      <p class="muted">
        The project's hooks do not run.{" "}
        <button
          type="button"
          class="text-button"
          onClick={() => {
            later.value = false;
          }}
        >
          Review
        </button>
      </p>
    );
  return (
    <article class="card hooks-card" aria-label="Hooks of the project">
      <p class="overline">Needs approval</p>
      <h2>May the project's hooks run?</h2>
      <p class="muted">
        These commands run automatically, in the same jail as the agent's. You allow exactly this text: if it
        changes, you are asked again. Until you allow them, the agent works without them.
      </p>
      {now.hooks.map(({ when, command, timeoutMs }, index) => (
        <div key={index} class="hook">
          <p class="muted">
            {times[when]}, at most {timeoutMs / 1_000} s
          </p>
          <CommandBox text={command} />
        </div>
      ))}
      {!rests && <p class="muted">You can allow them once this turn is over.</p>}
      <div class="actions">
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            later.value = true;
          }}
        >
          Not now
        </button>
        <button
          type="button"
          class="button plan grow"
          disabled={!rests}
          onClick={() => session.send({ type: "hooks", hash: now.hash })}
        >
          Allow
        </button>
      </div>
    </article>
  );
}
