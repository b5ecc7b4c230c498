// The text of a person's message with its attachments, and the user messages that providers require between answers.
import type { Attachment } from "../../../shared/message.ts";
import type { PromptMessage } from "../prompt.ts";

/** The image formats that models accept; phones convert other camera formats. */
export const readImages = /^image\/(png|jpeg|webp|gif)$/;

/** An attachment may contain anything, so closing tags in it are escaped. */
function inside(text: string): string {
  return text.replace(/<(?=\/attachment)/gi, "&lt;");
}

/**
 * Adds text attachments to the message. Images are left to the wire format, or replaced by a line that says they are
 * missing.
 */
export function withText(
  content: string,
  attachments: readonly Attachment[],
  takesImages: boolean,
): { text: string; images: Attachment[] } {
  let text = content;
  const images: Attachment[] = [];
  for (const attachment of attachments) {
    const { kind, name, mediaType, data } = attachment;
    if (kind === "text")
      text += `\n\n<attachment ${inside(`name=${JSON.stringify(name)}>\n${data}`)}\n</attachment>`;
    else if (takesImages && readImages.test(mediaType)) images.push(attachment);
    else
      text += `\n\n[The image ${JSON.stringify(name)} was left out: this model takes no images${takesImages ? " of its format" : ""}.]`;
  }
  return { text, images };
}

export function dataUrl({ mediaType, data }: Attachment): string {
  return `data:${mediaType};base64,${data}`;
}

const continueMessage: PromptMessage = { role: "user", content: "Go on." };

/**
 * Adds a user message between two answers without calls. A `continue` adds no message, but providers refuse two answers
 * in a row or treat the last one as the beginning of theirs.
 */
export function spokenTo(messages: readonly PromptMessage[]): PromptMessage[] {
  return messages.flatMap((message, index) => {
    const answers = (messages[index + 1]?.role ?? "assistant") === "assistant";
    return message.role === "assistant" && !message.toolCalls?.length && answers
      ? [message, continueMessage]
      : [message];
  });
}
