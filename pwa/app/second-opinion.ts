// Asks another model to review a waiting plan, on a tap or automatically if the setting says so. The opinion is kept
// with the session's draft.
import { signal } from "@preact/signals";
import * as z from "zod/mini";
import { toHandrailError } from "../../shared/errors.ts";
import { isSameModel, type ModelRef } from "../../shared/event.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { type OpinionPoint, SecondOpinion, type SecondOpinionRequest } from "../../shared/second-opinion.ts";
import { isFinish, messagesOf } from "../../shared/session/history.ts";
import type { OpenSession } from "../session/open-session.ts";
import { commentTexts, setComment, withoutText } from "../session/plan-comments.ts";
import { addCost, noteAsked, spendLimitNow } from "../session/spending.ts";
import { api, config, kv, settings } from "./app-state.ts";

/** By the hash of the plan: whether an opinion is being awaited, or why there is none. */
export const asking = signal<ReadonlyMap<string, { problem?: string }>>(new Map());

/** Sets the state of one request; null means that it is over. Requests for other plans are left alone. */
function setAsking(hash: string, now: { problem?: string } | null): void {
  const all = new Map(asking.value);
  if (now) all.set(hash, now);
  else all.delete(hash);
  asking.value = all;
}

/**
 * Returns the model to ask: the one chosen in Settings, otherwise the first one that is not the session's own;
 * undefined if there is no other.
 */
export function reviewerOf(session: OpenSession): ModelRef | undefined {
  const own = session.settled.value.head.model;
  const known = (config.value?.providers ?? [])
    .filter(({ demo }) => !demo)
    .flatMap(({ id: provider, models }) => models.map(({ id }) => ({ provider, id })));
  const { reviewer } = settings.value;
  const chosen = reviewer && known.find((model) => isSameModel(model, reviewer));
  return chosen ?? known.find((model) => own === null || !isSameModel(model, own));
}

/** Returns the opinion on exactly this plan. */
export function opinionOn(session: OpenSession, plan: Plan) {
  const { opinion } = session.draft.value;
  return opinion?.hash === plan.hash ? opinion : undefined;
}

/** Never throws: `asking` holds what went wrong. */
export async function askOpinion(session: OpenSession, plan: Plan): Promise<void> {
  const { hash } = plan;
  const model = reviewerOf(session);
  const before = asking.value.get(hash);
  if (before && before.problem === undefined) return;
  if (spendLimitNow(Date.now(), session.settled.value.head.spent.cost) === 0) {
    setAsking(hash, { problem: "The spending limit in Settings is reached." });
    return;
  }
  setAsking(hash, {});
  const task = askedFor(session);
  const steps = plan.steps.map(({ id, description }) => ({ id, description }));
  const body: SecondOpinionRequest = {
    // If the request is repeated after a lost answer, it is not paid for again.
    ...{ plan: asDecided(plan), steps, key: hash, sandboxId: session.record.value.sandboxId },
    ...(task && { task }),
    ...(model && { model }),
  };
  try {
    const before = await noteAsked(kv, `${hash} ${model?.id}`);
    const init = { method: "POST", body: JSON.stringify(body), headers: api.keyHeaders(model?.provider) };
    const said = z.parse(SecondOpinion, await (await api.send("/second-opinion", init)).json());
    // An opinion that the server had kept was paid for by the device that asked first. If that was this device and the
    // answer was lost, count the cost now, once. The cost is part of the key, because a new opinion has a new cost.
    if (said.cost && (before || said.kept !== true))
      await addCost(kv, Date.now(), said.cost, `${hash} ${said.model.id} ${said.cost}`);
    session.setDraft({ opinion: { hash, said, taken: [] } });
    setAsking(hash, null);
  } catch (error) {
    setAsking(hash, { problem: toHandrailError(error).message });
  }
}

const maxTaskChars = 4_000;

/**
 * What the person has said since the previous plan was finished. If that is long, only the first message and the newest
 * words are sent.
 */
function askedFor(session: OpenSession): string {
  const messages = messagesOf(session.settled.value.entries);
  const said = messages
    .slice(messages.findLastIndex(isFinish) + 1)
    .flatMap((message) => (message.role === "user" ? [message.content] : []));
  const [first = "", ...others] = said;
  const begins = first.slice(0, maxTaskChars / 2);
  return [begins, others.join("\n\n").slice(-maxTaskChars / 2)].filter(Boolean).join("\n\n");
}

/** Adds the person's decisions, so that the reviewer does not ask about them again. */
function asDecided({ markdown, decisions }: Plan): string {
  if (decisions.length === 0) return markdown;
  return `${markdown}\n\n# Decided by the person\n\n${decisions.map(({ label, answer }) => `- ${label}: ${answer}`).join("\n")}`;
}

/**
 * Turns the point into a comment on its step, or on the whole plan together with the words of the decision. The comment
 * is then sent with either decision.
 */
export function takeOver(session: OpenSession, plan: Plan, index: number, point: OpinionPoint): void {
  const opinion = opinionOn(session, plan);
  if (!opinion || opinion.taken.includes(index)) return;
  const before = commentOf(session, plan, point).trim();
  writeComment(session, plan, point, [before, point.text].filter(Boolean).join("\n"));
  session.setDraft({ opinion: { ...opinion, taken: [...opinion.taken, index] } });
}

/** Returns the comment without the point; undefined if the person has changed its words there. */
export function commentWithout(session: OpenSession, plan: Plan, point: OpinionPoint): string | undefined {
  return withoutText(commentOf(session, plan, point), point.text);
}

/** Removes the point from its comment and keeps what the person wrote around it. */
export function takeBack(session: OpenSession, plan: Plan, index: number, point: OpinionPoint): void {
  const opinion = opinionOn(session, plan);
  const left = commentWithout(session, plan, point);
  if (!opinion || left === undefined) return;
  writeComment(session, plan, point, left);
  session.setDraft({ opinion: { ...opinion, taken: opinion.taken.filter((each) => each !== index) } });
}

function commentOf(session: OpenSession, plan: Plan, { stepId }: OpinionPoint): string {
  const { feedback } = session.draft.value;
  return stepId === undefined ? feedback : (commentTexts(session, plan)[stepId] ?? "");
}

function writeComment(session: OpenSession, plan: Plan, { stepId }: OpinionPoint, words: string): void {
  if (stepId === undefined) session.setDraft({ feedback: words });
  else setComment(session, plan, stepId, words);
}
