// A card for one call: the fact in one line, the rest on a tap; a running command shows its newest output.
import { useComputed, useSignal } from "@preact/signals";
import { callArguments, changedFiles, factsOf } from "../../shared/session/call-facts.ts";
import { openSheet } from "../browser/sheet.ts";
import { CodeBox } from "../components/code-box.tsx";
import { durationInWords, Elapsed } from "../components/elapsed.tsx";
import { lazy } from "../components/lazy.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { Markdown } from "../markdown/markdown.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { isAway, isStill } from "../turn/connection.ts";
import { cardWords, plainResult } from "./call-words.ts";
import { LiveOutputView } from "./live-output.tsx";
import { olderProposal } from "./proposals.ts";
import type { CallView } from "./rows.ts";
import { takenOutInWords } from "./taken-out-words.ts";

const RefusedHosts = lazy(() => import("./refused-hosts.tsx").then((module) => module.RefusedHosts));
const DiffText = lazy(() => import("../diff/diff-text.tsx").then((module) => module.DiffText));

export function CallCard({ view, session }: { view: CallView; session: OpenSession }) {
  const { call, result, since } = view;
  const open = useSignal(false);
  const { verb, object, why, figures, state } = cardWords(view);
  const planText = olderProposal(view)?.planContent;
  const live = useComputed(() => session.state.value.live.output[call.id]).value;
  // It has no result and nothing runs: the turn was interrupted, and its result comes when it continues.
  const connection = session.connection.value;
  const paused = isStill(connection) && !isAway(connection);
  const runs = state === "running" && session.outbox.value.turn !== null && !paused;
  const { ms, refusedHosts = [] } = result === undefined ? {} : factsOf(result);
  const takenOut = call.name === "run_command" && result ? takenOutInWords(result.content) : undefined;
  return (
    <article class={`card call ${state}`}>
      <button
        type="button"
        class="card-line"
        aria-expanded={planText === undefined ? open.value : undefined}
        disabled={planText !== undefined}
        onClick={() => (open.value = !open.value)}
      >
        <span class="card-words">
          <b>{verb}</b> {object !== "" && <code>{oneLineOf(object)}</code>}
          {why !== undefined && ` · ${why}`}
        </span>
        <span class={state === "bad" ? "time bad" : "time"}>
          {figures}
          {runs && <Elapsed since={since} />}
          {paused && state === "running" && "paused"}
          {ms !== undefined &&
            call.name === "run_command" &&
            `${figures === "" ? "" : " · "}${durationInWords(ms)}`}
          {!runs && planText === undefined && <span class="chevron" aria-hidden="true" />}
        </span>
      </button>
      {runs && live !== undefined && <LiveOutputView output={live} />}
      {takenOut !== undefined && (
        <p class="taken-out">
          Taken out: <code>{takenOut}</code>
          <button type="button" class="text-button" onClick={() => openSheet({ kind: "allowed" })}>
            Look
          </button>
        </p>
      )}
      {view.printed !== undefined && (
        <div class="detail">
          <p class="muted">What it printed before:</p>
          <CodeBox>{view.printed}</CodeBox>
        </div>
      )}
      {refusedHosts.length > 0 && <RefusedHosts hosts={refusedHosts} session={session} />}
      {planText !== undefined && (
        <div class="older-plan">
          <Markdown text={planText} />
        </div>
      )}
      {open.value && planText === undefined && <CallDetail view={view} />}
    </article>
  );
}

function CallDetail({ view: { call, result } }: { view: CallView }) {
  const diffs = result === undefined ? [] : changedFiles(result).flatMap((file) => file.diff ?? []);
  if (diffs.length > 0) return <DiffText text={diffs.join("\n")} />;
  const { command } = callArguments(call.arguments);
  return (
    <div class="detail">
      {command?.includes("\n") && <CodeBox>{command}</CodeBox>}
      <CodeBox>{result === undefined ? pretty(call.arguments) : plainResult(result.content)}</CodeBox>
    </div>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
