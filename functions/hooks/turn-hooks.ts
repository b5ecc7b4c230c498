// The hooks of one turn: commands in the jail around changes, steps and the turn itself. Each has its own key in the
// journal, so that none runs twice. The model is told about failures, and a hook that fails before a change blocks it.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { type Hook, type HookTime, hookRunId } from "../../shared/hooks.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { type PendingCall, type PreparedCall, runsLater } from "../calls/prepared.ts";
import { clip } from "../calls/result-text.ts";
import type { HooksOfTurn, ToolTurn } from "../calls/tool-turn.ts";

/** How much of a failed hook's output is shown: a linter's first and last lines. */
const outputBytes = 3_000;

interface Run {
  when: HookTime;
  /** Prefix of the calls' keys, before their number. */
  key: string;
  env?: Record<string, string>;
  toolCallId?: string;
  stepId?: string;
}

/** A failed hook, described for the model. */
interface FailedHook {
  words: string;
  command: string;
  /** Whether the sandbox server ended while it ran, so that its effect is unknown. */
  lost: boolean;
  /** When its result was recorded. */
  at: number;
}

type Prepared = Extract<PreparedCall, { kind: "runs" }>;

export class TurnHooks implements HooksOfTurn {
  readonly #hooks: readonly Hook[];
  #steps: Map<string, string>;
  #continued = false;
  /**
   * An `afterTurn` hook was lost, and may have done its work. So if the model continues, these hooks do not run again
   * when the turn ends a second time.
   */
  #lostAtEnd = false;

  /** `plan`: the plan with which the turn was posted. */
  constructor(hooks: readonly Hook[], plan: Plan | null) {
    this.#hooks = hooks;
    this.#steps = statusOf(plan);
  }

  around(turn: ToolTurn, { call, key }: PendingCall, args: unknown, change: Prepared): PreparedCall {
    const { finish } = change;
    if (finish.kind !== "now" || !(this.#has("beforeChange") || this.#has("afterChange"))) return change;
    const path = isRecord(args) && typeof args.path === "string" ? plainPath(args.path) : "";
    const run = (when: HookTime) =>
      this.#run(turn, { when, key: `${key}/${when}`, env: { HANDRAIL_PATH: path }, toolCallId: call.id });
    return runsLater(async function* () {
      const [blocks] = yield* run("beforeChange");
      if (blocks) return { ok: false, text: `error: nothing was changed: ${blocks.words}`, at: blocks.at };
      const calls = change.calls.map((one) => ({ ...one, toolCallId: call.id }));
      const results = yield* turn.runCalls(calls);
      const outcome = finish.outcome(results);
      if (outcome.kind === "waits" || !outcome.ok) return outcome;
      const failed = yield* run("afterChange");
      const said = failed.map(({ words }) => `[the change was made, but ${words}]`);
      return { ...outcome, text: [outcome.text, ...said].join("\n") };
    });
  }

  async *begins(turn: ToolTurn): AsyncGenerator<TurnEvent> {
    yield* this.#tell(turn, { when: "beforeTurn", key: this.#keyOf(turn, "beforeTurn") });
  }

  async *steps(turn: ToolTurn): AsyncGenerator<TurnEvent, boolean> {
    const [before, now] = [this.#steps, statusOf(turn.state.plan)];
    this.#steps = now;
    let failed = false;
    for (const [when, status] of [
      ["afterStep", "done"],
      ["beforeStep", "active"],
    ] as const)
      for (const step of turn.state.plan?.steps ?? []) {
        if (now.get(step.id) !== status || before.get(step.id) === status) continue;
        const key = this.#keyOf(turn, `${when}/${step.id}`);
        failed =
          (yield* this.#tell(turn, {
            when,
            key,
            stepId: step.id,
            env: { HANDRAIL_STEP: step.description.slice(0, 200) },
          })) || failed;
      }
    return failed;
  }

  async *ends(turn: ToolTurn): AsyncGenerator<TurnEvent, boolean> {
    const ofSteps = yield* this.steps(turn);
    const ofTurn =
      !this.#lostAtEnd &&
      (yield* this.#tell(turn, { when: "afterTurn", key: this.#keyOf(turn, "afterTurn") }));
    // Only once, because a hook that always fails must not keep the model working.
    const continues = (ofSteps || ofTurn) && !this.#continued;
    this.#continued ||= continues;
    return continues;
  }

  #keyOf({ env, state }: ToolTurn, name: string): string {
    return `${env.request.turnId}/${state.round ?? 0}/hook/${name}`.slice(0, 190);
  }

  #has(when: HookTime): boolean {
    return this.#hooks.some((hook) => hook.when === when);
  }

  /** Runs them and notes failures; returns true if there was one. In plan mode nothing may be written, so none runs. */
  async *#tell(turn: ToolTurn, run: Run): AsyncGenerator<TurnEvent, boolean> {
    if (turn.state.mode === "plan" || !this.#has(run.when)) return false;
    const failed = yield* this.#run(turn, run);
    for (const { words, command, lost, at } of failed) {
      this.#lostAtEnd ||= lost && run.when === "afterTurn";
      turn.note({
        id: run.key.replaceAll("/", "."),
        at,
        subkind: "system_notice",
        source: "hook",
        content: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
        data: { when: run.when, command, ok: false },
      });
    }
    return failed.length > 0;
  }

  /** Runs them one after another up to the first failure, and returns that one. */
  async *#run(
    turn: ToolTurn,
    { when, key, env, toolCallId, stepId }: Run,
  ): AsyncGenerator<TurnEvent, FailedHook[]> {
    const hooks = this.#hooks.filter((hook) => hook.when === when);
    for (const [at, { command, timeoutMs }] of hooks.entries()) {
      const args = { command, timeoutMs, ...(env ? { env } : {}) };
      // A hook that does not belong to a call gets an id of its own. In both cases the person sees what runs, and how
      // long it may take.
      const shownAs = toolCallId ?? hookRunId(turn.env.request.turnId);
      const call = { key: `${key}/${at}`, op: "exec", args, toolCallId: shownAs } as const;
      const [result] = yield* turn.runCalls([call]);
      const why = result && failureOf(result, when, timeoutMs);
      if (why !== undefined)
        return [
          {
            words: `the project's hook \`${command}\` (${stepId === undefined ? when : `${when} ${stepId}`}) failed: ${why}`,
            command,
            lost: isLost(result),
            at: result?.at ?? 0,
          },
        ];
    }
    return [];
  }
}

/**
 * The path in the form that the sandbox uses (sandbox/paths/relative-path.ts), so that a guard compares the path that
 * is really changed: `./a//b` is `a/b`.
 */
function plainPath(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return `${path.startsWith("/") ? "/" : ""}${names.join("/")}`;
}

function statusOf(plan: Plan | null): Map<string, string> {
  return new Map(plan?.steps.map(({ id, status }) => [id, status]));
}

function isLost(result: CallResult | undefined): boolean {
  return result?.error?.code === "outcome_unknown";
}

/** undefined = it succeeded. */
function failureOf(result: CallResult, when: HookTime, timeoutMs: number): string | undefined {
  const { ok, value, error } = result;
  if (isLost(result)) {
    const what = when.replace(/^(?:before|after)/, "").toLowerCase();
    return `the sandbox server ended while it ran; what it did is unknown, and it is not run again for this ${what}`;
  }
  if (!ok) return error?.message ?? "it could not be run";
  const { exitCode, signal, timedOut, stdout, stderr } = z.parse(ExecValue, value);
  if (exitCode === 0 && !timedOut) return undefined;
  const how = timedOut
    ? `it took more than ${timeoutMs / 1_000} s`
    : signal
      ? `ended by ${signal}`
      : `exit ${exitCode}`;
  const output = [stdout.trimEnd(), stderr.trimEnd()].filter((part) => part !== "").join("\n");
  return output === "" ? how : `${how}\n${clip(output, outputBytes)}`;
}
