// What went with a message: images as they were sent, text under its name.
import type { Attachment } from "../../shared/message.ts";
import { CodeBox } from "../components/code-box.tsx";
import { oneLineOf } from "../components/shown-text.ts";

export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attached">
      {attachments.map(({ kind, name, mediaType, data }, index) => (
        <li key={index}>
          {kind === "image" ? (
            <img src={`data:${mediaType};base64,${data}`} alt={name} loading="lazy" />
          ) : (
            <details>
              <summary class="chip">{oneLineOf(name)}</summary>
              <CodeBox>{data}</CodeBox>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
