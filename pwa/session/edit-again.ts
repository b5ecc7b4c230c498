// The state of "Edit and send again": the old message is in the composer, text typed earlier comes back on cancel, and
// the running turn is not stopped before the new words are sent.
import { signal } from "@preact/signals";
import type { UserMessage } from "../../shared/message.ts";
import type { Draft } from "../storage/draft.ts";
import type { OpenSession } from "./open-session.ts";

interface Editing {
  session: string;
  message: UserMessage;
  /** The composer's earlier content. */
  kept: Pick<Draft, "text" | "attachments">;
}

const editing = signal<Editing | null>(null);

export function beginAgain(session: OpenSession, message: UserMessage): void {
  const { id } = session.record.value;
  const { text, attachments } = session.draft.value;
  const before = editing.value?.session === id ? editing.value.kept : { text, attachments };
  editing.value = { session: id, message, kept: before };
  session.setDraft({ text: message.content, attachments: message.attachments ?? [] });
}

export function cancelAgain(session: OpenSession): void {
  if (editing.value?.session !== session.record.value.id) return;
  session.setDraft(editing.value.kept);
  editing.value = null;
}

/**
 * The message being edited in this session; undefined if there is none. With `stops`, sending ends the turn that the
 * message began.
 */
export function editedAgain(
  session: OpenSession,
): { said: string; after: number; stops: boolean } | undefined {
  if (editing.value?.session !== session.record.value.id) return undefined;
  const { message } = editing.value;
  const { entries } = session.settled.value;
  const at = entries.findLastIndex(
    (entry) => entry.event === "message" && entry.data.message.id === message.id,
  );
  const later = at < 0 ? [] : entries.slice(at + 1);
  const isLast = !later.some((entry) => entry.event === "message" && entry.data.message.role === "user");
  const after = later.filter((entry) => entry.event === "message").length;
  return { said: message.content, after, stops: isLast && session.outbox.value.turn !== null };
}

/** Called when the edited words are sent. Returns whether the running turn has to be stopped for them. */
export function sentAgain(session: OpenSession): boolean {
  const stops = editedAgain(session)?.stops === true;
  if (editing.value?.session === session.record.value.id) {
    // Text typed earlier belongs to no message yet, so it comes back after this one.
    const { text } = editing.value.kept;
    editing.value = null;
    if (text !== "") queueMicrotask(() => session.setDraft({ text }));
  }
  return stops;
}
