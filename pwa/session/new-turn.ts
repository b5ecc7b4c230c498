// Builds the outbox entry of a turn, with everything that each attempt repeats, and gives the text of a refused turn
// back to the draft.
import { isSameModel, type ModelRef } from "../../shared/event.ts";
import type { SessionState, TurnState } from "../../shared/session/session-state.ts";
import type { TurnInput, TurnOptions } from "../../shared/turn.ts";
import type { Draft } from "../storage/draft.ts";
import type { OutboxTurn } from "../storage/outbox.ts";
import { keptEdit } from "./kept-edit.ts";

export interface NewTurnOptions {
  spendLimit?: number | undefined;
  unattended?: TurnOptions["unattended"];
  deliver?: TurnOptions["deliver"];
  mcp?: TurnOptions["mcp"];
  explore?: TurnOptions["explore"];
  serves?: ModelRef | null;
  /** The newest turn in storage. */
  stored?: TurnState | null;
  /** The model that the person chose for this session; undefined for the server's default. */
  model?: ModelRef | undefined;
  /** The chosen effort; undefined for the server's default. */
  effort?: string | undefined;
}

/**
 * The plan is sent with the person's text if they edited exactly this version. `serves` is the server's default model,
 * null if unknown. Cached facts about another model are not sent.
 */
export function newTurn(
  turnId: string,
  input: TurnInput,
  { head }: SessionState,
  draft: Draft,
  {
    spendLimit,
    unattended,
    deliver,
    mcp,
    explore,
    serves = null,
    model,
    effort,
    stored = null,
  }: NewTurnOptions = {},
): OutboxTurn {
  const answers = model ?? serves;
  const changed = answers !== null && head.model !== null && !isSameModel(answers, head.model);
  const edited = keptEdit(draft, head.plan);
  return {
    turnId,
    attempt: 0,
    state: "queued",
    mode: head.mode,
    model: model ?? null,
    plan: head.plan === null || edited === undefined ? head.plan : { ...head.plan, markdown: edited },
    input,
    toolProtocol: changed ? null : head.toolProtocol,
    historyCount: head.entryCount,
    posted: head.posted,
    ...(spendLimit === undefined ? {} : { spendLimit }),
    ...(unattended === undefined ? {} : { unattended }),
    ...(deliver && { deliver }),
    ...(mcp && { mcp }),
    ...(head.hooks && { hooks: true }),
    ...(explore && { explore }),
    ...(effort === undefined ? {} : { effort }),
    ...(stored?.seen === undefined
      ? {}
      : {
          stored: {
            ...{ turnId: stored.id, after: stored.lastEventId, seen: stored.seen },
            // Makes the server refuse the turn if another device has sent one since: the person has to see that first.
            ...(stored.id === head.turn?.id && stored.status !== "running" && { newest: true as const }),
          },
        }),
  };
}

/** The change of `draft` that keeps the words of `input`; nothing if it has none. */
export function givenBack(input: TurnInput, draft: Draft): Partial<Draft> {
  switch (input.type) {
    case "message":
      return {
        text: [input.text, draft.text].filter(Boolean).join("\n"),
        ...(input.attachments === undefined
          ? {}
          : { attachments: [...input.attachments, ...draft.attachments] }),
      };
    case "replan":
      return input.text ? { text: [input.text, draft.text].filter(Boolean).join("\n") } : {};
    case "approve":
    case "reject": {
      // Comments on parts of the plan come back as plain words, since the plan may have changed.
      const said = (input.comments ?? []).map(({ stepId, quote, text }) => `${quote ?? stepId}: ${text}`);
      const feedback = [input.feedback, ...said, draft.feedback].filter(Boolean).join("\n");
      return feedback === "" ? {} : { feedback };
    }
    case "answers": {
      const raw = Object.fromEntries(input.answers.map((answer) => [answer.id, answer.raw]));
      return { answers: { toolCallId: input.toolCallId, index: 0, raw } };
    }
    default:
      return {};
  }
}
