// What a person said and attached, and the words that providers miss between answers.
import type { Attachment } from "../../../shared/message.ts";
import type { PromptMessage } from "../prompt.ts";

/** The formats that models read; phones convert other camera formats. */
export const readImages = /^image\/(png|jpeg|webp|gif)$/;

/** An attachment may come from anybody: escape closing tags in it. */
function inside(text: string): string {
  return text.replace(/<(?=\/attachment)/gi, "&lt;");
}

/** Text attachments are text; images are for the wire to write, or a line that says that they are missing. */
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

const goOn: PromptMessage = { role: "user", content: "Go on." };

/**
 * Adds a user message between two answers in words, since a `continue` adds no
 * message, and providers refuse two answers in a row, or take the last one for the beginning of theirs.
 */
export function spokenTo(messages: readonly PromptMessage[]): PromptMessage[] {
  return messages.flatMap((message, index) => {
    const answers = (messages[index + 1]?.role ?? "assistant") === "assistant";
    return message.role === "assistant" && !message.toolCalls?.length && answers
      ? [message, goOn]
      : [message];
  });
}
