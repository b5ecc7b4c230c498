// A card for one finished call: what happened in one line, and the rest after a tap.
import { useSignal } from "@preact/signals";
import { callArguments, changedFiles, factsOf } from "../../shared/session/call-facts.ts";
import { openSheet } from "../browser/sheet.ts";
import { CodeBox } from "../components/code-box.tsx";
import { durationInWords } from "../components/elapsed.tsx";
import { lazy } from "../components/lazy.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { WholeMarkdown } from "../markdown/whole.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { runAgain } from "../words/told-words.ts";
import { hasNow } from "./call-phase.ts";
import { cardWords, plainResult } from "./call-words.ts";
import { olderProposal } from "./proposals.ts";
import type { CallView } from "./rows.ts";
import { takenOutInWords } from "./taken-out-words.ts";

const RefusedHosts = lazy(() => import("./refused-hosts.tsx").then((module) => module.RefusedHosts));
const NetworkOffer = lazy(() => import("./network-offer.tsx").then((module) => module.NetworkOffer));
const HelperRounds = lazy(() => import("./helper-rounds.tsx").then((module) => module.HelperRounds));
const DiffText = lazy(() => import("../diff/diff-text.tsx").then((module) => module.DiffText));

/** Up to these lengths, title and figures fit on one line of a narrow phone; otherwise the figures go below. */
const shortFigures = 8;
const shortTitle = 16;

export function CallCard({ view, session }: { view: CallView; session: OpenSession }) {
  const { call, result } = view;
  const open = useSignal(false);
  const { verb, object, why, figures, state } = cardWords(view);
  const planText = olderProposal(view)?.planContent;
  // The card of the running turn shows open calls. If no turn runs, a call without a result was interrupted.
  if (result === undefined && hasNow(session) && view.rounds === undefined) return null;
  const { ms, refusedHosts = [], needsNetwork } = result === undefined ? {} : factsOf(result);
  const { command } = callArguments(call.arguments);
  const tells = [
    ...(figures === "" ? [] : [figures]),
    ...(ms === undefined || state === "unrun" || call.name !== "run_command" ? [] : [durationInWords(ms)]),
  ].join(" · ");
  const isLong = tells.length > shortFigures && verb.length + object.length > shortTitle;
  const takenOut = call.name === "run_command" && result ? takenOutInWords(result.content) : undefined;
  return (
    <div class="row">
      <article class={`card call ${state}`}>
        <button
          type="button"
          class={isLong ? "card-line long" : "card-line"}
          aria-expanded={planText === undefined ? open.value : undefined}
          disabled={planText !== undefined}
          onClick={() => (open.value = !open.value)}
        >
          <span class="card-words">
            <b>{verb}</b> {object !== "" && <code>{oneLineOf(object)}</code>}
            {why !== undefined && ` · ${why}`}
          </span>
          <span class={state === "bad" ? "time bad" : "time"}>
            {tells}
            {planText === undefined && <span class="chevron" aria-hidden="true" />}
          </span>
        </button>
        {takenOut !== undefined && (
          <p class="taken-out">
            <span>
              Taken out: <code>{oneLineOf(takenOut)}</code>
            </span>
            <button type="button" class="text-button" onClick={() => openSheet({ kind: "allowed" })}>
              Show
            </button>
          </p>
        )}
        {view.printed !== undefined && (
          <div class="detail">
            <p class="muted">What it printed before:</p>
            <CodeBox>{view.printed}</CodeBox>
          </div>
        )}
        {refusedHosts.length > 0 && (
          <RefusedHosts hosts={refusedHosts} again="Run the command that needs it again." session={session} />
        )}
        {needsNetwork && <NetworkOffer command={command} again={runAgain(command ?? "")} session={session} />}
        {planText !== undefined && (
          <div class="older-plan">
            <WholeMarkdown text={planText} />
          </div>
        )}
        {open.value &&
          planText === undefined &&
          (view.rounds === undefined ? (
            <CallDetail view={view} />
          ) : (
            <HelperRounds
              task={callArguments(call.arguments).task ?? ""}
              rounds={view.rounds}
              result={result}
            />
          ))}
      </article>
    </div>
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
