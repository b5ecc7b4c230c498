// The outcome of a conversation as comparable text. It lacks the parts that differ from run to run, and
// failures of the model that the network caused and after which the person continued.
import type { Entry } from "../../shared/session/session-state.ts";

/** The number of tries of one sampling. If all are lost, the turn ends with an explanation. */
export const triesOfOneSampling = 3;

/**
 * One line for each entry; plan events are folded and are not kept as entries. `folder`: the case's own.
 * `givenUp`: the number of samplings that lost all their tries. The same number of failures of the model is
 * left out, each with the `continue` that it asks for.
 */
export function storyOf(entries: readonly Entry[], folder: string, givenUp = 0): string {
  const turns: string[] = [];
  return takenUp(entries, givenUp)
    .map(({ turnId, event, data }) => {
      if (!turns.includes(turnId)) turns.push(turnId);
      const text = JSON.stringify(data)
        .replaceAll(turnId, "TURN")
        .replace(/TURN\.(\d+)\.[a-z]{8}/g, "TURN.$1.ID")
        .replaceAll(folder, "CASE")
        .replace(/handrail-fault-\w+|lane\d+/g, "LANE")
        .replace(/"(createdAt|ms|contextTokens|at)":\d+/g, '"$1":0')
        // A provider's token count follows its answer, and is lost if the stream is cut in between.
        .replace(/,"usage":\{[^}]*\}/g, "")
        .replace(/\b([0-9a-f]{64}|[0-9a-f]{40})\b/g, "HASH");
      return `${turns.indexOf(turnId)} ${event} ${text}`;
    })
    .join("\n");
}

/** A turn that failed. `ledger`: the entry before the failure, which is moved to the turn that continues. */
interface FailedTurn {
  turnId: string;
  rounds: number;
  ledger: Entry | undefined;
}

/**
 * PROTOCOL 3.1: "the input is in the history, a new turn with `continue` tries again". That turn is shown as
 * part of the turn that failed.
 */
function takenUp(entries: readonly Entry[], givenUp: number): Entry[] {
  const told: Entry[] = [];
  let left = givenUp;
  let failed: FailedTurn | undefined;
  let follower: { turnId: string; of: FailedTurn } | undefined;
  for (const entry of entries) {
    if (failed && entry.event === "turn.started") {
      follower = { turnId: entry.turnId, of: failed };
      failed = undefined;
      continue;
    }
    const of = follower?.turnId === entry.turnId ? follower.of : undefined;
    const own = of ? asPartOf(entry, of) : entry;
    if (left > 0 && own.event === "turn.failed" && retryable(own)) {
      left -= 1;
      const ledger = told.at(-1)?.event === "ledger" ? told.pop() : of?.ledger;
      failed = { turnId: own.turnId, rounds: roundsOf(told, own.turnId), ledger };
      continue;
    }
    if (
      of?.rounds === 0 &&
      tellsMode(own) &&
      told.some((before) => before.turnId === own.turnId && tellsMode(before))
    )
      continue;
    if (of?.ledger && behindLedger.includes(own.event)) {
      told.push(of.ledger);
      of.ledger = undefined;
    }
    told.push(own);
  }
  return told;
}

/**
 * Whether the entry tells the mode. It is repeated until the model has answered in the new mode (PROTOCOL
 * 3.1, "Opening").
 */
function tellsMode(entry: Entry): boolean {
  if (entry.event !== "message") return entry.event === "mode";
  const { message } = entry.data;
  return message.role === "event" && message.extra.event.subkind === "mode_switch";
}

const behindLedger: readonly Entry["event"][] = ["proposal", "questions", "mode", "turn.done"];

function retryable({ data: { error } }: Extract<Entry, { event: "turn.failed" }>): boolean {
  return error.code === "model_error" && error.retryable === true;
}

/** The number of rounds that a turn has sampled: it is in the next message's id. */
function roundsOf(told: readonly Entry[], turnId: string): number {
  return told.filter(
    (entry) =>
      entry.turnId === turnId && entry.event === "message" && entry.data.message.role === "assistant",
  ).length;
}

/** `entry` with the id of the turn that it continues, and rounds counted from that turn's beginning. */
function asPartOf<E extends Entry>(entry: E, { turnId, rounds }: FailedTurn): E {
  const text = JSON.stringify(entry)
    .replaceAll(entry.turnId, turnId)
    .replace(
      /("id":"[a-z]+\.)(\d+)(\.[a-z]{8}")/g,
      (_, turn, round, rest) => turn + (Number(round) + rounds) + rest,
    )
    .replace(/("meta":\{"round":|"rounds":)(\d+)/g, (_, field, round) => field + (Number(round) + rounds));
  return JSON.parse(text);
}
