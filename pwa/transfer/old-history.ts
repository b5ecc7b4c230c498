// Converts other kinds of histories into our entries: plain lists of messages, including those with `propose_plan` of
// the older plan mode.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { parseEntry } from "../../shared/session/entry.ts";
import type { Entry } from "../../shared/session/session-state.ts";

const OldCall = z.union([
  z.object({ id: z.string(), name: z.string(), arguments: z.string() }),
  z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
]);
const OldMessage = z.object({
  role: z.enum(["user", "assistant", "tool", "system"]),
  id: z.optional(z.string()),
  content: z.optional(z.unknown()),
  createdAt: z.optional(z.number()),
  mode: z.optional(z.unknown()),
  toolCalls: z.optional(z.array(OldCall)),
  tool_calls: z.optional(z.array(OldCall)),
  toolCallId: z.optional(z.string()),
  tool_call_id: z.optional(z.string()),
  name: z.optional(z.string()),
  ok: z.optional(z.boolean()),
});
type OldMessage = z.infer<typeof OldMessage>;
const OldTextPart = z.object({ text: z.string() });

/** The entries of a list of messages; undefined if `value` is not one. `at` is the time of messages that have none. */
export function entriesOfMessages(value: unknown, at: number): Entry[] | undefined {
  const list = z.safeParse(z.array(OldMessage), value);
  if (!list.success || list.data.length === 0) return undefined;
  const turnId = `imported-${at}`;
  const messages = closed(list.data.map((message, index) => messageOf(message, `${turnId}.${index}`, at)));
  const model = { provider: "imported", id: "unknown" };
  const drafts: { event: string; data: unknown }[] = [
    { event: "turn.started", data: { turnId, mode: "normal", model, toolProtocol: "native", format: 1 } },
    ...messages.map((message) => ({ event: "message", data: { message } })),
    { event: "turn.done", data: { reason: "stop", rounds: 0 } },
  ];
  return drafts.flatMap((draft, index) => parseEntry({ ...draft, turnId, id: index + 1 }) ?? []);
}

function messageOf(old: OldMessage, id: string, at: number): Message {
  const mode = z.safeParse(Mode, old.mode);
  const common = {
    id: old.id ?? id,
    content: textOf(old.content),
    createdAt: old.createdAt ?? at,
    mode: mode.success ? mode.data : "normal",
  } as const;
  if (old.role === "user" || old.role === "system") return { ...common, role: old.role };
  if (old.role === "tool") {
    const toolCallId = old.toolCallId ?? old.tool_call_id ?? "";
    return { ...common, role: "tool", toolCallId, name: old.name ?? "", ok: old.ok ?? true };
  }
  const toolCalls = (old.toolCalls ?? old.tool_calls ?? []).map((call) =>
    "function" in call ? { id: call.id, ...call.function } : call,
  );
  return toolCalls.length === 0
    ? { ...common, role: "assistant", finish: "stop" }
    : { ...common, role: "assistant", finish: "tool_calls", toolCalls };
}

/** The text of a message's content, which is a string, a list of parts, or a result object. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.flatMap((part) => z.safeParse(OldTextPart, part).data?.text ?? []).join("\n");
}

/** Every call is followed by its result, which gets the call's name. A result without a call is left out. */
function closed(messages: readonly Message[]): Message[] {
  const results = new Map(
    messages.flatMap((each) => (each.role === "tool" ? [[each.toolCallId, each]] : [])),
  );
  return messages.flatMap((message): Message[] => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    const { id, createdAt, mode } = message;
    const own = (message.toolCalls ?? []).map((call): Message => {
      const result = results.get(call.id);
      if (result !== undefined) return { ...result, name: call.name };
      const content = "not run: the history ends here";
      return {
        id: `${id}.${call.id}`,
        content,
        createdAt,
        mode,
        role: "tool",
        toolCallId: call.id,
        name: call.name,
        ok: false,
      };
    });
    return [message, ...own];
  });
}
