// The questions that the person was asked in this sandbox and what they allowed, read from the journal alone:
// a history that a client posts does not count. A pure fold, like plan-facts.ts.
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { asksForCommits, commitsAsked } from "../../shared/asks-for-commits.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import { ExactCommand, Grant, type KeptGrant, type Permit } from "../../shared/grant.ts";
import { RunMode } from "../../shared/turn.ts";

/** The position of a line among those of all turns, and when it was written. */
export interface JournalPlace {
  turnId: string;
  n: number;
  at: number;
}

interface AskedPermission {
  /** Hash of the call, because its arguments may be a whole file. */
  call: string;
  risk: string;
  /** The rule that the decision `session` would allow; missing in journals of earlier versions. */
  grant: Grant | undefined;
}

interface StoredGrant {
  grant: Grant;
  from: JournalPlace;
  /** Position of the line that revoked it. */
  revokedAt?: number;
}

const PermissionEvent = z.object({
  toolCallId: z.string(),
  name: z.string(),
  arguments: z.string(),
  risk: z.string(),
  program: z.optional(z.string()),
  subcommand: z.optional(z.string()),
  only: z.optional(ExactCommand),
});

/** The parts of a journaled message that matter here. */
const RecordedMessage = z.object({
  message: z.object({
    role: z.string(),
    content: z.optional(z.unknown()),
    name: z.optional(z.string()),
    ok: z.optional(z.boolean()),
    meta: z.optional(z.object({ facts: z.optional(z.object({ run: z.optional(z.unknown()) })) })),
    extra: z.optional(
      z.object({
        event: z.optional(z.object({ subkind: z.string(), source: z.string(), data: z.looseObject({}) })),
      }),
    ),
  }),
});
type SaidMessage = z.infer<typeof RecordedMessage>["message"];

export class PermissionFacts {
  readonly #asked = new Map<string, AskedPermission>();
  #allowed: StoredGrant[] = [];
  /** How to run the plan after the latest answers have been worked into it ("Answer and run", PROTOCOL 8). */
  run: RunMode | undefined;

  /** Applies one journaled event. `resolves`: whether the event's turn was given that call to resolve. */
  event({ event, data }: JournalEvent, place: JournalPlace, resolves: (callId: string) => boolean): void {
    if (event === "permission") {
      const asked = z.safeParse(PermissionEvent, data);
      if (!asked.success) return;
      const { toolCallId, risk, program, subcommand, only } = asked.data;
      const grant =
        program === undefined || subcommand === undefined
          ? undefined
          : { risk, program, subcommand, ...(only ? { only } : {}) };
      this.#asked.set(toolCallId, { call: hashOf(asked.data), risk, grant });
    } else if (event === "message") {
      const said = z.safeParse(RecordedMessage, data);
      if (!said.success) return;
      this.#decided(said.data.message, place, resolves);
      this.#wishes(said.data.message, place);
    }
  }

  #decided({ extra }: SaidMessage, place: JournalPlace, resolves: (callId: string) => boolean): void {
    if (extra?.event?.subkind !== "tool_decision") return;
    const { toolCallId, decision, ...data } = extra.event.data;
    if ((decision !== "session" && decision !== "never") || typeof toolCallId !== "string") return;
    const asked = this.#asked.get(toolCallId);
    if (asked === undefined) return;
    const { risk } = asked;
    // The question about the project's hooks is asked and answered within one turn.
    if (risk !== "hooks" && !resolves(toolCallId)) return;
    // `never`: the person does not want to be asked again and has not allowed it. The gates recognize the
    // decision by these names.
    const grant =
      decision === "never"
        ? { risk, program: "never", subcommand: "asked" }
        : (asked.grant ?? z.safeParse(Grant, data).data);
    if (decision === "never" && risk !== "network") return;
    if (grant !== undefined) this.#allowed.push({ grant, from: place });
  }

  /**
   * Answers may include the wish to run the plan; the person's next action cancels it. A message may ask for
   * commits.
   */
  #wishes({ role, content, name, ok, meta, extra }: SaidMessage, from: JournalPlace): void {
    if (role === "user" && typeof content === "string" && asksForCommits(content))
      this.#allowed.push({ grant: { risk: commitsAsked, program: "git", subcommand: "commit" }, from });
    if (role === "tool") {
      if (name === "ask_user" && ok === true) this.run = z.safeParse(RunMode, meta?.facts?.run).data;
    } else if (role === "user") this.run = undefined;
    else if (
      extra?.event?.subkind === "mode_switch" ||
      extra?.event?.source === "approval" ||
      extra?.event?.source === "rewind"
    )
      this.run = undefined;
  }

  /** Revokes the grant with that id and all that allow the same; "*": every grant. */
  revoke(id: string, n: number): void {
    const same = this.#allowed.find(
      ({ from, grant }) => from.turnId === id && grant.risk !== commitsAsked,
    )?.grant;
    this.#allowed = this.#allowed.map((allowed) =>
      allowed.revokedAt === undefined && (id === "*" || (same && covers(same, allowed.grant)))
        ? { ...allowed, revokedAt: n }
        : allowed,
    );
  }

  /** Everything allowed now, each once, without the commits that a message asked for. */
  get kept(): KeptGrant[] {
    const kept: KeptGrant[] = [];
    for (const { grant, from, revokedAt } of this.#allowed) {
      if (revokedAt !== undefined || grant.risk === commitsAsked) continue;
      if (kept.some((other) => covers(other, grant))) continue;
      kept.push({ ...grant, id: from.turnId, at: from.at });
    }
    return kept;
  }

  /** A turn with a grant that has not been revoked. */
  get anyTurn(): string | undefined {
    return this.#allowed.find(({ revokedAt }) => revokedAt === undefined)?.from.turnId;
  }

  /**
   * The grants that a turn may use: those that existed at its first claim, and those of its own permit. They
   * are the same for every claim of the turn, so that a resumed turn behaves as before.
   */
  grantsOf(turn: { id: string; openedAt: number }): Grant[] {
    return this.#allowed
      .filter(({ from, revokedAt }) => {
        if (from.turnId === turn.id) return true;
        return from.n < turn.openedAt && !(revokedAt !== undefined && revokedAt < turn.openedAt);
      })
      .map(({ grant }) => grant);
  }

  /** The rule that the decision `session` on the call would allow. */
  askedAbout(callId: string): Grant | undefined {
    return this.#asked.get(callId)?.grant;
  }

  /** Whether the person was asked about the call before it ran. */
  waitedToRun(callId: string): boolean {
    const asked = this.#asked.get(callId);
    return asked !== undefined && asked.risk !== "outcome_unknown";
  }

  /**
   * Throws `stale_plan` unless the person was asked about exactly this call here, and `invalid_request` if
   * the decision does not fit the question.
   */
  check(permit: Permit): void {
    const asked = this.#asked.get(permit.toolCallId);
    if (permit.decision === "deny" || permit.decision === "never") {
      // The journal does not know calls that were asked about elsewhere, for example before a copy was
      // restored here.
      if (permit.mayHaveRun === true || (asked !== undefined && asked.risk !== "outcome_unknown")) return;
      throw new HandrailError(
        "stale_plan",
        "This call may have run. Send the denial in words that say so, with mayHaveRun.",
        { details: { toolCallId: permit.toolCallId, mayHaveRun: true } },
      );
    }
    if (asked?.call !== hashOf(permit)) {
      throw new HandrailError(
        "stale_plan",
        "This call was never asked about here, or it reads differently now. Say what you want done, and you will be asked again.",
        { details: { toolCallId: permit.toolCallId } },
      );
    }
    const mayHaveRun = asked.risk === "outcome_unknown";
    const answersUnknown = permit.decision === "again" || permit.decision === "done";
    if (answersUnknown === mayHaveRun) return;
    throw new HandrailError(
      "invalid_request",
      mayHaveRun
        ? "input.decision: it is not known whether this call has run; send again, done or deny."
        : "input.decision: this call has not run; send once, session or deny.",
      { details: { field: "input.decision" } },
    );
  }
}

function hashOf(call: { name: string; arguments: string }): string {
  return createHash("sha256")
    .update(JSON.stringify([call.name, call.arguments]))
    .digest("base64");
}

function covers(a: Grant, b: Grant): boolean {
  if (a.risk !== b.risk) return false;
  if (a.only || b.only) return a.only?.command === b.only?.command && a.only?.cwd === b.only?.cwd;
  return a.program === b.program && a.subcommand === b.subcommand;
}
