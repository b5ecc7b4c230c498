// The searchable text of a session: messages, questions, answers and plans, read in small pieces.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";

export interface Said {
  /** The turn of the entry with this text. */
  turnId: string;
  id: number;
  who: "You" | "Agent" | "Plan";
  text: string;
}

/** This many segments are read at once, because a long session must not hold up the screen. */
const atOnce = 8;

const StoredMessage = z.object({
  turnId: z.string(),
  id: z.number(),
  event: z.literal("message"),
  data: z.object({
    message: z.object({
      role: z.string(),
      content: z.string(),
      name: z.optional(z.string()),
      extra: z.optional(z.object({ plan: z.optional(z.object({ markdown: z.string() })) })),
    }),
  }),
});
const StoredQuestions = z.object({
  turnId: z.string(),
  id: z.number(),
  event: z.literal("questions"),
  data: z.object({ questions: z.array(z.object({ prompt: z.string() })) }),
});

/** The text of one stored entry that a person reads; undefined if there is none. Never throws. */
export function saidIn(entry: unknown): Said | undefined {
  const stored = z.safeParse(StoredMessage, entry);
  if (stored.success) {
    const { turnId, id, data } = stored.data;
    const { role, content, name, extra } = data.message;
    const said = (who: Said["who"], text: string): Said => ({ turnId, id, who, text });
    if (role === "user") return said("You", content);
    if (role === "assistant") return said("Agent", content);
    if (role === "plan") return said("Plan", extra?.plan?.markdown ?? "");
    return role === "tool" && name === "ask_user" ? said("You", content) : undefined;
  }
  const asked = z.safeParse(StoredQuestions, entry);
  if (!asked.success) return undefined;
  const { turnId, id, data } = asked.data;
  return { turnId, id, who: "Agent", text: data.questions.map(({ prompt }) => prompt).join("\n") };
}

/** All text of a session, oldest first. */
export async function readSaid(kv: Kv, sessionId: string): Promise<Said[]> {
  const said: Said[] = [];
  for (let from = 0; ; from += atOnce) {
    const keys = Array.from(
      { length: atOnce },
      (_, at) => `segment/${sessionId}/${String(from + at).padStart(6, "0")}`,
    );
    const segments = await kv.getMany(keys);
    for (const entry of segments.flat()) {
      const found = saidIn(entry);
      if (found !== undefined && found.text !== "") said.push(found);
    }
    if (segments.at(-1) === undefined) return said;
  }
}
