// Follows a turn through its journal: first what is recorded, then what its runner adds, in whichever process. Runs nothing.
import type { TurnEvent } from "../../shared/event.ts";
import type { JournalLine } from "../../shared/journal.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { originOfMessage } from "../tools/open-calls.ts";
import { durableEvent } from "../turn/replay-log.ts";

/**
 * Yields the events above `after`. Ends with the turn's last event; or without it when the sandbox says that nobody
 * runs the turn, when nothing was added for 90 s, or for 1 s after a stop: the follower then posts the turn again.
 * Throws `not_found` for an unknown turn.
 */
export async function followTurn(
  deps: Deps,
  turn: { sandboxId: string; turnId: string },
  after: number,
  signal: AbortSignal,
): Promise<AsyncGenerator<TurnEvent>> {
  const open = (from: number, waitMs: number) =>
    deps.sandbox.journal(turn.sandboxId, turn.turnId, from, waitMs, signal);
  const lines = open(0, limits.followPollMs);
  const first = await lines.next();
  return events({ first, opened: lines, open, after, deps });
}

interface Following {
  first: IteratorResult<JournalLine, void>;
  opened: AsyncGenerator<JournalLine, void>;
  open(from: number, waitMs: number): AsyncGenerator<JournalLine, void>;
  after: number;
  deps: Deps;
}

async function* events({ first, opened, open, after, deps }: Following): AsyncGenerator<TurnEvent> {
  const messages = new Map<number, AssistantMessage>();
  let seq = 0;
  let stopped = false;
  let grewAt = deps.now();
  let lines = opened;
  let next = first;
  for (;;) {
    for (; !next.done; next = await lines.next()) {
      const line = next.value;
      if (line.type === "ping") continue;
      if (line.type === "unattended") {
        await lines.return();
        return;
      }
      seq = line.seq;
      grewAt = deps.now();
      if (line.type === "stop") {
        // Leaves the long poll that is under way: the rest is asked for with a short one.
        stopped = true;
        break;
      }
      if (line.type === "output") {
        const toolCallId = callOf(line.key, messages);
        if (toolCallId !== undefined) {
          yield {
            event: "tool.output",
            data: { toolCallId, stream: line.stream, offset: line.offset, text: line.text },
          };
        }
      }
      if (line.type !== "record") continue;
      for (const recorded of line.events) {
        const event = durableEvent(recorded);
        if (event.event === "message" && event.data.message.role === "assistant") {
          messages.set(originOfMessage(event.data.message.id)?.round ?? -1, event.data.message);
        }
        if (event.id > after) yield event;
        if (event.event === "turn.done" || event.event === "turn.failed") return;
      }
    }
    await lines.return();
    const idleMs = deps.now() - grewAt;
    // Nobody runs a stopped turn, so its ending comes at once or not at all; posting the turn again writes it.
    if (idleMs >= (stopped ? limits.stopGraceMs : limits.followIdleMs)) return;
    lines = open(seq + 1, stopped ? limits.stopGraceMs : limits.followPollMs);
    next = await lines.next();
  }
}

/** The call whose key is TURN/ROUND/ORDINAL. */
function callOf(key: string, messages: ReadonlyMap<number, AssistantMessage>): string | undefined {
  const [, round, ordinal] = key.split("/");
  return messages.get(Number(round))?.toolCalls?.[Number(ordinal)]?.id;
}
