// Turns a session's entries into the rows of its transcript. Pure; it knows no components.
import { exploreSubkind } from "../../shared/explore.ts";
import type { EventMessage, Message, ToolCall, ToolMessage } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { stepNumber } from "../../shared/plan/steps.ts";
import { isEventOf, isFinish } from "../../shared/session/history.ts";
import type { CutAnswer, Entry } from "../../shared/session/session-state.ts";
import { planningTools, readingTools } from "../../shared/session/tool-groups.ts";
import { isSteerMessageId } from "../../shared/turn.ts";
import { isUnreadable } from "../storage/session-store.ts";
import { modeNames } from "../words/mode-words.ts";
import { Answers } from "./answers-in.ts";
import { isFolded } from "./folded-call.ts";
import { IdleTime } from "./idle-time.ts";
import { CutNotes, lostNote, noteOf, type UndoLine } from "./notes.ts";
import { planChanges } from "./plan-changes.ts";
import { PlansInForce } from "./plans-in-force.ts";
import { printedBefore } from "./printed-before.ts";
import { planMessage, rejections } from "./proposals.ts";
import { choiceFirst, cutWords, silentRejection, unaskedSources } from "./row-rules.ts";
import { type CallView, type Row, type RowOf, stationsToCome } from "./rows.ts";
import { Stations, type StepReport } from "./stations.ts";

export function transcriptRows(
  entries: readonly Entry[],
  plan: Plan | null,
  cuts: readonly CutAnswer[] = [],
  undoLines: readonly UndoLine[] = [],
): Row[] {
  return new RowBuilder(choiceFirst(entries), plan, new CutNotes(cuts, undoLines)).build();
}

class RowBuilder {
  readonly #rows: Row[] = [];
  readonly #results = new Map<string, ToolMessage>();
  /** Calls for which the person's permission was asked, without a turn since. */
  readonly #asked = new Set<string>();
  readonly #changes: ReadonlySet<string>;
  readonly #printed: ReadonlyMap<string, string>;
  readonly #answers = new Answers();
  readonly #cards = new Map<number, number>();
  readonly #calls = new Map<string, ToolCall>();
  readonly #rounds = new Map<string, EventMessage[]>();
  readonly #rejected: Map<number, number>;
  /** The engine's work before it recorded the turn's first message: drawn below that message. */
  readonly #beneath: Row[] = [];
  /** True if this turn was already shown as stopped. */
  #stopSaid = false;
  readonly #stations = new Stations();
  readonly #plans: PlansInForce;
  /** The plan that applied at the current entry. */
  #inForce: Plan | null;
  /** Calls of the newest message after `#change`, which are drawn once that has its result. */
  #undrawnCalls: { call: ToolCall; key: string }[] = [];
  /** The last drawn call if it is an `update_plan`: its result decides to which step the calls after it belong. */
  #change: string | undefined;
  /** The text of the newest message and its place: if a step begins with it, it belongs to that step. */
  #said: { row: Row; among: Row[] } | undefined;
  #time = 0;
  readonly #idle = new IdleTime();
  #olderProposals = 0;

  constructor(
    private readonly entries: readonly Entry[],
    private readonly plan: Plan | null,
    private readonly cuts: CutNotes,
  ) {
    this.#plans = new PlansInForce(entries, plan);
    this.#inForce = this.#plans.at(0);
    this.#rejected = rejections(entries);
    this.#printed = printedBefore(entries);
    this.#changes = planChanges(entries);
    entries.forEach((entry, index) => {
      if (entry.event === "message" && entry.data.message.role === "tool")
        this.#results.set(entry.data.message.toolCallId, entry.data.message);
      if (entry.event === "message" && entry.data.message.role === "assistant") {
        for (const call of entry.data.message.toolCalls ?? []) this.#calls.set(call.id, call);
      }
      if (entry.event === "message" && isEventOf(entry.data.message, exploreSubkind)) {
        const { message } = entry.data;
        const id = String(message.extra.event.data.toolCallId);
        this.#rounds.set(id, [...(this.#rounds.get(id) ?? []), message]);
      }
      if (entry.event === "questions") this.#answers.asked(entry.data);
      if (entry.event === "permission") this.#asked.add(entry.data.toolCallId);
      if (entry.event === "turn.started") this.#asked.clear();
      if (entry.event === "proposal") this.#cards.set(entry.data.planVersion, index);
    });
  }

  build(): Row[] {
    for (const [index, entry] of this.entries.entries()) {
      if (isUnreadable(entry)) {
        const lost = lostNote(this.entries[index - 1]);
        if (lost) this.#note(lost.key, lost.text);
        continue;
      }
      const key = `${entry.turnId}.${entry.id}`;
      if (entry.event === "message" && entry.data.message.role === "plan") {
        this.#stations.nextPlan(this.#inForce, entry.data.message.extra.plan);
        this.#inForce = this.#plans.at(index);
      }
      for (const cut of this.cuts.before(entry)) this.#note(cut.key, cut.text);
      const version = this.#rejected.get(index);
      if (version !== undefined) this.#note(`${key}.rejected`, `You rejected version ${version}`);
      this.#add(entry, index, key);
      for (const undo of this.cuts.after(key)) this.#note(undo.key, undo.text);
    }
    // Calls after a question to the person have not begun.
    if (this.#change === undefined || !this.#asked.has(this.#change)) this.#allCalls();
    for (const cut of this.cuts.atEnd(this.entries.at(-1)?.turnId)) this.#note(cut.key, cut.text);
    return [...this.#rows, ...stationsToCome(this.plan)];
  }

  #push(row: Row): void {
    if (row.kind !== "user") this.#pushBeneath();
    (this.#stations.current?.rows ?? this.#rows).push(row);
    this.#pushBeneath();
  }

  #pushBeneath(): void {
    for (const row of this.#beneath.splice(0)) this.#push(row);
  }

  #chose(chosen: Pick<RowOf<"chose">, "decisions" | "updates">, key: string): void {
    if (chosen.decisions.length + chosen.updates.length > 0) this.#push({ key, kind: "chose", ...chosen });
  }

  #note(key: string, text: string): void {
    this.#push({ key, kind: "note", text, detail: undefined, tone: "quiet" });
  }

  #add(entry: Entry, index: number, key: string): void {
    switch (entry.event) {
      case "message":
        this.#message(entry.data.message, key);
        break;
      case "step":
        this.#step(entry.data, key);
        break;
      case "ledger":
        this.#chose(this.#answers.untold(entry.data), key);
        break;
      case "proposal":
        this.#proposal(entry.data.planVersion, index, key);
        break;
      // The question is asked above the composer; once it is decided, the decision and the call's own card show it.
      case "permission":
      case "questions":
        break;
      case "mode":
        this.#note(key, modeNames[entry.data.to]);
        break;
      case "turn.failed":
        this.#push({ key, kind: "failure", error: entry.data.error });
        break;
      case "turn.done":
        if (entry.data.reason === "stopped" && !this.#stopSaid) this.#note(key, "Stopped");
        break;
      case "turn.started":
        this.#stopSaid = false;
        this.#idle.begin(this.#time);
        break;
    }
  }

  #message(message: Message, key: string): void {
    this.#time = Math.max(this.#time, message.createdAt);
    this.#idle.end(this.#time, this.#rows);
    switch (message.role) {
      case "user":
        this.#allCalls();
        // A message sent into the running turn: the step continues around it.
        if (!isSteerMessageId(message.id)) this.#stations.current = null;
        // A rejection without feedback has no message, only a line of its own.
        if (message.content === silentRejection) this.#pushBeneath();
        else this.#push({ key, kind: "user", message });
        return;
      case "assistant": {
        this.#allCalls();
        const { content: text, reasoning, finish, toolCalls } = message;
        const aborted = finish === "aborted";
        if (text.trim() !== "" || aborted) {
          this.#push({ key, kind: "text", text, reasoning, cut: cutWords[finish], ends: !toolCalls?.length });
          const among = this.#stations.current?.rows ?? this.#rows;
          const row = among.at(-1);
          if (row !== undefined) this.#said = { row, among };
          this.#stopSaid ||= aborted;
        }
        this.#undrawnCalls = (toolCalls ?? []).map((call) => ({ call, key }));
        this.#nextCalls();
        return;
      }
      case "plan":
        if (!this.#cards.has(message.extra.plan.version)) this.#planRow(message.extra.plan, key, false);
        return;
      case "event":
        this.#event(message, key);
        break;
      case "tool":
        if (message.toolCallId === this.#change) this.#nextCalls();
        this.#chose(this.#answers.given(message), key);
        return;
      case "system":
        return;
    }
  }

  /** Draws calls up to and including the next change of the plan. */
  #nextCalls(): void {
    this.#change = undefined;
    while (this.#change === undefined) {
      const next = this.#undrawnCalls.shift();
      if (next === undefined) return;
      this.#call(next.call, next.key);
      if (next.call.name === "update_plan") this.#change = next.call.id;
    }
  }

  #allCalls(): void {
    while (this.#undrawnCalls.length > 0) this.#nextCalls();
  }

  #call(call: ToolCall, key: string): void {
    const result = this.#results.get(call.id);
    const [printed, check] = [this.#printed.get(call.id), this.#failedCheck(result)];
    const view: CallView = { call, result, answer: key, printed, check, rounds: this.#rounds.get(call.id) };
    if (call.name === "propose_plan" && result?.ok) view.proposal = ++this.#olderProposals;
    if (planningTools.has(call.name) && view.result?.ok !== false) return;
    const last = (this.#stations.current?.rows ?? this.#rows).at(-1);
    if (isFolded(view, last)) return;
    if (!readingTools.has(call.name) || view.result?.ok === false) {
      this.#push({ key: `${key}.${call.id}`, kind: "call", view });
      return;
    }
    if (last?.kind === "looked") last.calls.push(view);
    else this.#push({ key: `${key}.${call.id}`, kind: "looked", calls: [view] });
  }

  #event(message: EventMessage, key: string): void {
    const { subkind, data } = message.extra.event;
    if (subkind === "cancellation_note" && this.#stopSaid) return;
    this.#stopSaid ||= subkind === "cancellation_note";
    if (isFinish(message)) this.#stations.endPlan();
    if (subkind === "verifier_report" && data.kind === "finish") {
      this.#stations.current = null;
      this.#push({ key, kind: "finish", text: message.content });
      return;
    }
    const station = this.#stations.of(typeof data.stepId === "string" ? data.stepId : undefined);
    if (subkind === "verifier_report" && station !== undefined) {
      station.checks.push(message);
      return;
    }
    const decided = typeof data.toolCallId === "string" ? this.#calls.get(data.toolCallId) : undefined;
    const note = noteOf(message, decided, this.#changes.has(String(data.toolCallId)));
    if (note === undefined) return;
    const row: Row = { key, kind: "note", ...note };
    if (unaskedSources.has(message.extra.event.source)) this.#beneath.push(row);
    else this.#push(row);
  }

  /** The number of the step whose checkpoint failed in this result; 0 if the plan has no such step. */
  #failedCheck(result: ToolMessage | undefined): CallView["check"] {
    const [, id, how = ""] =
      /^The checkpoint of step (\S+) (failed(?=:)|ran out of time|could not be run)/m.exec(
        result?.content ?? "",
      ) ?? [];
    if (id === undefined || this.#inForce === null) return undefined;
    return { step: stepNumber(this.#inForce, id), how };
  }

  #proposal(version: number, index: number, key: string): void {
    if (this.#cards.get(version) !== index) return;
    const body = this.plan?.version === version ? this.plan : planMessage(this.entries, version);
    if (body !== undefined) this.#planRow(body, key, true);
  }

  #planRow(plan: Plan, key: string, proposed: boolean): void {
    const newest = this.plan !== null && this.plan.version === plan.version;
    this.#push({
      key,
      kind: "plan",
      plan: newest && this.plan !== null ? this.plan : plan,
      newest,
      proposed,
    });
  }

  #step(data: StepReport, key: string): void {
    const station = this.#stations.report(data, this.#inForce, key, this.#time);
    if (station === undefined) return;
    if (station.status === "active") {
      const { row, among } = this.#said ?? {};
      if (row !== undefined && among?.at(-1) === row) station.rows.push(...among.splice(-1));
    }
    this.#rows.push(station);
  }
}
