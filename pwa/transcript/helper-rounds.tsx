// Below a helper's card: what it read, round by round, what that cost, and its report.
import * as z from "zod/mini";
import { type EventMessage, ToolCall, type ToolMessage } from "../../shared/message.ts";
import { addUsage, nothingSpent, usageOf } from "../../shared/session/spending.ts";
import { oneLineOf } from "../components/shown-text.ts";
import { WholeMarkdown } from "../markdown/whole.tsx";
import { spentInWords } from "../words/model-words.ts";
import { lookedAt } from "./call-words.ts";

const RoundData = z.object({
  model: z.string(),
  answer: z.optional(z.object({ toolCalls: z.optional(z.array(ToolCall)) })),
});

interface HelperRoundsProps {
  task: string;
  rounds: readonly EventMessage[];
  result: ToolMessage | undefined;
}

export function HelperRounds({ task, rounds, result }: HelperRoundsProps) {
  const read = rounds.flatMap((round) => z.safeParse(RoundData, round.extra.event.data).data ?? []);
  const calls = read.flatMap(({ answer }) => answer?.toolCalls ?? []);
  const spent = spentInWords(rounds.map(usageOf).reduce((sum, used) => addUsage(sum, used), nothingSpent));
  const model = read.at(-1)?.model;
  return (
    <div class="detail helper">
      <p>{task}</p>
      {calls.length > 0 && (
        <ul class="looked-at">
          {calls.map((call) => (
            <li key={call.id}>
              <code>{oneLineOf(lookedAt(call))}</code>
            </li>
          ))}
        </ul>
      )}
      {model !== undefined && <p class="muted">{[model, spent].filter(Boolean).join(" · ")}</p>}
      {result !== undefined && <WholeMarkdown text={result.content.replace(/\n?\[meta\][^\n]*$/, "")} />}
    </div>
  );
}
