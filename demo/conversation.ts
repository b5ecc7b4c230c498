// Reads a request for the scripted demo: its messages, the calls that were made, and their results. Nothing is stored.
import * as z from "zod/mini";

const RequestCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const ContentPart = z.object({ text: z.optional(z.string()) });
const Content = z.union([z.string(), z.array(ContentPart), z.null()]);

/** The part of a chat-completions request that the script reads. */
export const ChatRequest = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.optional(Content),
      tool_calls: z.optional(z.array(RequestCall)),
      tool_call_id: z.optional(z.string()),
    }),
  ),
  tools: z.optional(z.array(z.object({ function: z.object({ name: z.string() }) }))),
  stream: z.optional(z.boolean()),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** A call with its result; `at` is the index of its message, so that events can be put in order. */
export interface DemoCall {
  name: string;
  args: Record<string, unknown>;
  /** Without its `[meta]` line; undefined until the result arrives. */
  result: string | undefined;
  failed: boolean;
  at: number;
}

export interface SaidSoFar {
  text: string;
  at: number;
}

export interface DemoConversation {
  tools: ReadonlySet<string>;
  calls: DemoCall[];
  /** The person's own messages, without those that the engine adds in the user's role. */
  said: SaidSoFar[];
  /** The messages that the engine added: switches of mode, plans, events. */
  added: SaidSoFar[];
}

const addedMark = /^(\[Mode switched|<(plan|plan-update|event|approved-plan|proposed-plan)\b)/;
/** The engine's heading above the person's words in a rejection. */
const rejectionMark = /^\[The plan was not approved;[^\]]*\]\n/;
const failedMark =
  /^(error\b|REJECTED|not run\b|cancelled\b|stopped\b|denied\b|refused\b|The person denied)/i;

export function readConversation(request: ChatRequest): DemoConversation {
  const calls: DemoCall[] = [];
  const byId = new Map<string, DemoCall>();
  const said: SaidSoFar[] = [];
  const added: SaidSoFar[] = [];
  request.messages.forEach((message, at) => {
    const text = textOf(message.content);
    for (const { id, function: body } of message.tool_calls ?? []) {
      const call: DemoCall = {
        name: body.name,
        args: readArgs(body.arguments),
        result: undefined,
        failed: false,
        at,
      };
      calls.push(call);
      byId.set(id, call);
    }
    if (message.role === "user")
      (addedMark.test(text) ? added : said).push({ text: text.replace(rejectionMark, ""), at });
    const call = message.role === "tool" ? byId.get(message.tool_call_id ?? "") : undefined;
    if (call === undefined) return;
    call.result = text.replace(/\n\[meta\] [^\n]*$/, "");
    call.failed = failedMark.test(call.result);
  });
  return { tools: new Set((request.tools ?? []).map((tool) => tool.function.name)), calls, said, added };
}

function textOf(content: z.infer<typeof Content> | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

function readArgs(text: string): Record<string, unknown> {
  try {
    return z.parse(z.record(z.string(), z.unknown()), JSON.parse(text));
  } catch {
    return {};
  }
}

/** The newest successful call of `name` after message `after`. */
export function lastDone(
  conversation: DemoConversation,
  name: string,
  after = -1,
  path?: string,
): DemoCall | undefined {
  return conversation.calls.findLast(
    (call) =>
      call.name === name &&
      call.at > after &&
      call.result !== undefined &&
      !call.failed &&
      (path === undefined || call.args.path === path),
  );
}

/** The demo's answer: first the text, then the calls. */
export interface Reply {
  text: string;
  calls: { name: string; args: Record<string, unknown> }[];
}

export function reply(text: string, ...calls: Reply["calls"]): Reply {
  return { text, calls };
}
