// The plan of a sandbox, its newest proposal, and which turn resolved what, derived from the journaled
// events. A pure fold: applied to new events and, after a restart, to the journals in their order.
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import type { Grant } from "../../shared/grant.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { PostedPlan } from "../../shared/journal.ts";
import { isOverStatus, isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { planContent } from "../../shared/plan/plan-body.ts";
import { PlannedWork } from "../../shared/plan/plan-file.ts";
import { Acknowledged } from "./acknowledged.ts";
import { type JournalPlace, PermissionFacts } from "./permission-facts.ts";
import { SessionFacts } from "./session-facts.ts";

export interface PlanRef {
  version: number;
  hash: string;
}

interface KnownPlan extends PlanRef {
  /** The plan is done or abandoned, so a new conversation need not know it. */
  over: boolean;
  /** The person has approved it, or it was begun. */
  underWay: boolean;
  /** Hash of its content; undefined if the plan cannot be parsed. */
  content: string | undefined;
}

export interface Proposal {
  planVersion: number;
  planHash: string;
}

export class PlanFacts {
  plan: KnownPlan | null = null;
  proposal: Proposal | null = null;
  /** Maps `proposal:V:H` or `call:ID` to the turn that was given it to resolve. */
  readonly #winners = new Map<string, string>();

  readonly permissions = new PermissionFacts();
  readonly acknowledged = new Acknowledged();
  readonly session = new SessionFacts();

  /** Applies one journaled event. */
  event(journaled: JournalEvent, place: JournalPlace): void {
    const { event, data } = journaled;
    const { turnId } = place;
    this.permissions.event(journaled, place, (id) => this.#winners.get(`call:${id}`) === turnId);
    if (!isRecord(data)) return;
    if (event === "plan" && isRecord(data.plan)) {
      const { version, hash, status } = data.plan;
      if (typeof version !== "number" || typeof hash !== "string") return;
      this.plan = {
        version,
        hash,
        over: isOverStatus(status),
        underWay: isUnderWay(status),
        content: contentHash(data.plan),
      };
      if (this.proposal?.planVersion !== version || this.proposal.planHash !== hash) this.proposal = null;
    } else if (event === "proposal") {
      const { planVersion, planHash } = data;
      if (typeof planVersion !== "number" || typeof planHash !== "string") return;
      this.proposal = { planVersion, planHash };
      // A text that is proposed again is open again, even if an earlier turn rejected the same text.
      this.#winners.delete(`proposal:${planVersion}:${planHash}`);
    } else if (event === "questions" || event === "permission") {
      // The question is asked again because an answer was invalid, so the next turn may answer it.
      if (typeof data.toolCallId === "string") this.#winners.delete(`call:${data.toolCallId}`);
    }
  }

  /** The person chose a history without the plan. */
  forgetPlan(): void {
    this.plan = null;
    this.proposal = null;
    this.session.drop(["plan", "step", "proposal"]);
  }

  /** The active plan and open decisions, without questions that a turn has been given to resolve. */
  openNow(): JournalEvent[] {
    // Of these events, only questions and permissions name a call.
    return this.session.now.filter(
      ({ data }) => !(isRecord(data) && this.#winners.has(`call:${data.toolCallId}`)),
    );
  }

  handOut(what: string, turnId: string): void {
    this.#winners.set(what, turnId);
  }

  /** What the person was asked about the calls that the turn was given to resolve. */
  askedOf(turnId: string): Grant[] {
    const own = [...this.#winners].filter(([, winner]) => winner === turnId);
    return own.flatMap(([what]) => this.permissions.askedAbout(what.replace(/^call:/, "")) ?? []);
  }

  /** A turn closed the call without an answer from the person, so a later answer to it is refused. */
  close(callId: string, turnId: string): void {
    const what = `call:${callId}`;
    if (!this.#winners.has(what)) this.#winners.set(what, turnId);
  }

  /**
   * Throws `stale_plan` unless the person was asked about the call before it ran and no other turn resolved
   * it.
   */
  checkCancelled(callId: string, turnId: string): void {
    const winner = this.#winners.get(`call:${callId}`);
    if ((winner === undefined || winner === turnId) && this.permissions.waitedToRun(callId)) return;
    throw new HandrailError(
      "stale_plan",
      "This call may have run. Close it in words that say so, without cancels.",
      { details: { toolCallId: callId, mayHaveRun: true } },
    );
  }

  /** Throws `stale_plan` unless `turnId` may resolve `what` now. */
  checkResolves(what: string, turnId: string): void {
    const winner = this.#winners.get(what);
    if (winner !== undefined && winner !== turnId) {
      throw new HandrailError(
        "stale_plan",
        "This was answered already by another turn. Load the session again to see it.",
        {
          details: { turnId: winner },
        },
      );
    }
    if (what.startsWith("call:")) return;
    const newest = this.proposal;
    if (newest === null || what !== `proposal:${newest.planVersion}:${newest.planHash}`) {
      throw new HandrailError(
        "stale_plan",
        "This proposal is not the newest one. Look at the current plan, then decide again.",
        {
          details: { ...newest },
        },
      );
    }
  }

  /**
   * Throws `stale_plan` unless `plan` is the newest plan that was journaled here and claims no more than
   * that.
   */
  checkPlan(plan: PostedPlan | null): void {
    const newest = this.plan;
    if (plan === null ? newest === null || newest.over : newest !== null && agrees(newest, plan)) return;
    throw new HandrailError("stale_plan", "This plan is not the newest one. Load the session again.", {
      details: newest ? { planVersion: newest.version, planHash: newest.hash } : {},
    });
  }
}

/**
 * The hash covers only the plan's text. `content` also covers its steps and checks, which are the parts that
 * run.
 */
function agrees(newest: KnownPlan, posted: PostedPlan): boolean {
  if (newest.version !== posted.version || newest.hash !== posted.hash) return false;
  if (posted.underWay === true && !newest.underWay) return false;
  return posted.content === undefined || newest.content === undefined || posted.content === newest.content;
}

function contentHash(plan: unknown): string | undefined {
  const parsed = z.safeParse(PlannedWork, plan);
  return parsed.success ? createHash("sha256").update(planContent(parsed.data)).digest("hex") : undefined;
}
