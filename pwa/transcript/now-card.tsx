// The running turn, always on the screen: the active step, its calls and their progress, the last lines of output, and
// the remaining steps.
import { type ReadonlySignal, useComputed } from "@preact/signals";
import { isHookRun } from "../../shared/hooks.ts";
import type { ToolCall } from "../../shared/message.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import type { LiveOutput } from "../../shared/session/session-state.ts";
import { plural } from "../../shared/session/session-summary.ts";
import type { Permission } from "../../shared/session/waiting.ts";
import { Clock, Countdown, durationInWords, StandsStill } from "../components/elapsed.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { WholeWords } from "../markdown/whole.tsx";
import { decidedOn } from "../session/decisions.ts";
import { askedDelivery } from "../session/deliver.ts";
import type { OpenSession } from "../session/open-session.ts";
import { scrollTarget } from "../session/scroll-target.ts";
import { turnFigures } from "../session/turn-figures.ts";
import { isStill } from "../turn/connection.ts";
import { foreignTool } from "../words/searched-tool.ts";
import { type CallPhase, hasNow, phaseInWords, phaseOf } from "./call-phase.ts";
import type { Row, RowOf } from "./rows.ts";

/** This many rows of calls are shown; further queued calls are only counted. */
const maxCalls = 4;
const outputLines = 3;

type OpenCall = Pick<ToolCall, "id" | "name" | "arguments">;

export function NowCard({ session, rows }: { session: OpenSession; rows: ReadonlySignal<readonly Row[]> }) {
  const shown = useComputed(() => hasNow(session));
  const calls = useComputed(() => openCallsOf(session));
  const step = useComputed(() => activeStation(rows.value));
  // Until the server has begun a turn, the newest turn is the previous one.
  const began = useComputed(() => {
    const turn = turnFigures(session.settled.value);
    return turn?.runs === true ? turn.since : undefined;
  });
  if (!shown.value) return null;
  const runs = session.outbox.value.turn !== null;
  const away = isStill(session.connection.value);
  const since = step.value === undefined ? began.value : step.value.since + step.value.idleMs;
  return (
    <StandsStill.Provider value={away || !runs}>
      <section class={`now-card${runs ? "" : " waits"}${runs && away ? " away" : ""}`} aria-label="Now">
        <button
          type="button"
          class="now-title"
          onClick={() => {
            const stepId = step.value?.stepId;
            scrollTarget.value = stepId === undefined ? { to: "newest" } : { to: "step", stepId };
          }}
        >
          <span class="now-name">
            <Title session={session} step={step.value} />
          </span>
          {runs && since !== undefined && <Clock since={since} />}
        </button>
        <Why step={step.value} />
        <Calls session={session} calls={calls.value} />
        <Left session={session} />
      </section>
    </StandsStill.Provider>
  );
}

function Title({ session, step }: { session: OpenSession; step: RowOf<"station"> | undefined }) {
  const { mode } = session.settled.value.head;
  if (step === undefined) {
    if (session.outbox.value.turn === null) return <>Waiting for you</>;
    const doing = mode === "plan" ? "planning" : "working";
    return (
      <>
        {isStill(session.connection.value)
          ? session.outbox.value.turn !== null && !session.begun.value
            ? "Not sent yet"
            : `Was ${doing}`
          : doing.replace(/^./, (first) => first.toUpperCase())}
      </>
    );
  }
  return (
    <>
      {step.number > 0 && `${step.number} `}
      <WholeWords text={step.step?.description ?? `Step ${step.stepId}`} still />
    </>
  );
}

/** One line about what the step is for: its note, its text in the plan, or the model's last words in it. */
function Why({ step }: { step: RowOf<"station"> | undefined }) {
  if (step === undefined) return null;
  const said = step.rows.findLast((row) => row.kind === "text");
  const words = step.note ?? step.step?.actions[0] ?? (said?.kind === "text" ? said.text : undefined);
  if (words === undefined) return null;
  return (
    <p class="now-why">
      <WholeWords text={words} still />
    </p>
  );
}

/** The calls of the newest answer that have no result, then those that the model has just written. */
function openCallsOf(session: OpenSession): OpenCall[] {
  const { head, live } = session.state.value;
  const known = new Set(head.openCalls.map(({ id }) => id));
  const written = live.calls
    .filter(({ toolCallId }) => !known.has(toolCallId))
    .map(({ toolCallId: id, ...call }) => ({ id, ...call }));
  // Once the model is asked again, the calls have ended, even if their results arrive only with its answer. Calls whose
  // check hit its time limit stay, because they show that.
  const open =
    live.wait === null ? head.openCalls : head.openCalls.filter(({ id }) => live.started[id]?.outOfTime);
  return [...open, ...written];
}

function activeStation(rows: readonly Row[]): RowOf<"station"> | undefined {
  const found = rows.findLast((row) => row.kind === "station" && row.status === "active" && !row.left);
  return found?.kind === "station" ? found : undefined;
}

function Calls({ session, calls }: { session: OpenSession; calls: readonly OpenCall[] }) {
  const { state } = session;
  const decided = (asked: Permission) => decidedOn(session, asked);
  const phased = calls.map((call) => ({ call, phase: phaseOf(call.id, state.value, decided) }));
  const first = phased.slice(0, maxCalls);
  // Calls that run, are checked or need approval are always shown, never only counted.
  const later = phased.slice(maxCalls);
  const shown = [...first, ...later.filter(({ phase }) => phase.kind !== "queued")];
  const counted = phased.length - shown.length;
  if (phased.length === 0) return <Between session={session} />;
  const asks = state.value.live.wait !== null && phased.every(({ phase }) => phase.kind === "late");
  return (
    <>
      <ul class="now-calls">
        {shown.map(({ call, phase }) => (
          <li
            key={call.id}
            class={isDecided(phase) || phase.kind === "reported" ? "is-queued" : `is-${phase.kind}`}
          >
            <details>
              <summary>
                <b>{phaseInWords(phase, isStill(session.connection.value))}</b>
                <code>{oneLineOf(objectOf(call, phase))}</code>
                {"at" in phase && phase.at !== undefined && <Clock since={phase.at} />}
              </summary>
              <pre class="now-whole">{objectOf(call, phase)}</pre>
            </details>
            {phase.kind === "checking" && phase.limitMs !== undefined && (
              <p class="now-limit">Ends after {durationInWords(phase.limitMs)} at the latest</p>
            )}
            {phase.kind === "late" && phase.limitMs !== undefined && (
              <p class="now-limit">
                The check took longer than its {durationInWords(phase.limitMs)}: it neither passed nor failed
              </p>
            )}
            {"at" in phase && <Tail output={state.value.live.output[call.id]} />}
          </li>
        ))}
        {counted > 0 && <li class="is-queued">{plural(counted, "more call")} queued</li>}
      </ul>
      {asks && <Thinking session={session} />}
    </>
  );
}

/** Returns whether the person has decided on the call, so that the agent no longer waits for them. */
function isDecided(phase: CallPhase): boolean {
  return phase.kind === "asked" && phase.decided !== undefined;
}

/** The object of a call: its command, its file, or what it looks for. */
function objectOf({ name, arguments: json }: OpenCall, phase: CallPhase): string {
  if (phase.kind === "checking" || phase.kind === "late") return phase.command;
  const { command, path, pattern, task } = callArguments(json);
  switch (name) {
    case "run_command":
      return command ?? name;
    case "edit_file":
      return `edit ${path ?? ""}`;
    case "write_file":
      return `write ${path ?? ""}`;
    case "read_file":
      return `read ${path ?? ""}`;
    case "search_files":
      return `search ${pattern ?? ""}`;
    case "list_files":
      return `list ${path ?? "."}`;
    case "update_plan":
      return "report progress";
    case "set_plan":
      return "write the plan";
    case "exit_plan":
      return "submit the plan";
    case "get_plan":
      return "read the plan";
    case "ask_user":
      return "ask you";
    case "deliver":
      return askedDelivery({ name, arguments: json })?.do.replace("_", " ") ?? name;
    case "explore":
      return `helper: ${task ?? ""}`;
    default:
      return foreignTool({ name, arguments: json }) ?? name;
  }
}

function Tail({ output }: { output: LiveOutput | undefined }) {
  if (output === undefined) return null;
  const lines = withoutControls(output.text)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-outputLines);
  return lines.length === 0 ? null : <pre class="now-output">{lines.join("\n")}</pre>;
}

/** Shown while no call is open: a hook of the project that runs around a turn or a step, or the model thinking. */
function Between({ session }: { session: OpenSession }) {
  const { started, output } = session.state.value.live;
  const [id, hook] = Object.entries(started).find(([id]) => isHookRun(id)) ?? [];
  if (id === undefined || hook?.check === undefined) return <Thinking session={session} />;
  const { command, limitMs } = hook.check;
  return (
    <ul class="now-calls">
      <li class="is-checking">
        <details>
          <summary>
            <b>Hook</b>
            <code>{oneLineOf(command)}</code>
            <Clock since={hook.at} />
          </summary>
          <pre class="now-whole">{command}</pre>
        </details>
        {limitMs !== undefined && (
          <p class="now-limit">Ends after {durationInWords(limitMs)} at the latest</p>
        )}
        <Tail output={output[id]} />
      </li>
    </ul>
  );
}

function Thinking({ session }: { session: OpenSession }) {
  const { partial, wait } = session.state.value.live;
  if (isStill(session.connection.value)) return null;
  if (partial?.whole === false && partial.text !== "") return <p class="now-thinks">Writing</p>;
  if (wait?.until !== undefined)
    return (
      <p class="now-thinks">
        {wait.why === "limited" ? "The provider limits requests" : "The provider is busy"}: asked again in{" "}
        <Countdown until={wait.until} />
      </p>
    );
  if (session.connection.value.kind === "sending") return <p class="now-thinks">Sending</p>;
  return (
    <p class="now-thinks">
      Thinking{wait && ", "}
      {wait && <Clock since={wait.at} />}
    </p>
  );
}

/** The next step and the number of steps after it; a tap shows those. */
function Left({ session }: { session: OpenSession }) {
  const { plan, mode } = session.settled.value.head;
  if (plan?.status !== "executing" || mode === "plan") return null;
  const left = plan.steps.flatMap((step, at) =>
    step.status === "pending" ? [{ step, number: at + 1 }] : [],
  );
  const [next] = left;
  if (next === undefined) return <p class="now-left">The last step</p>;
  const words = (
    <span>
      Then {next.number} <WholeWords text={next.step.description} still />
    </span>
  );
  if (left.length === 1) return <p class="now-left">{words}</p>;
  return (
    <details class="now-coming">
      <summary class="now-left">
        {words} <span>· {left.length - 1} more</span>
      </summary>
      {left.slice(1).map(({ step, number }) => (
        <p key={step.id} class="now-left">
          {number} <WholeWords text={step.description} still />
        </p>
      ))}
    </details>
  );
}

/** A terminal's control sequence: ESC, a bracket, parameters, a letter. */
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

/** Removes terminal colours. If a line rewrites itself, only its last state remains. */
function withoutControls(text: string): string {
  return text
    .replace(colour, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?!\n)/g, "");
}
