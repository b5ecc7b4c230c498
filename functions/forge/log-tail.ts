// The end of a check's output, however long it is: earlier text is dropped while it streams in.
import type { CheckLog } from "../../shared/forge.ts";

/** While streaming, four times the shown size is kept, because colours and timestamps are removed later. */
const keptBytes = 64 * 1024;
/** A model reads it with every later request: about 4,500 tokens. */
const shownChars = 16_000;

/**
 * GitHub and GitLab put a timestamp before each line, and both write colours. GitLab's section marks end with a
 * bare carriage return.
 */
const noise =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed.
  /\u001b\[[\d;]*[A-Za-z]|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|^\d{4}-\d\d-\d\dT[\d:.]+Z ?(?:\d\d[OE][ +]?)?|^[^\n]*\r(?!\n)/gm;

/** Rejects if the stream breaks off. */
export async function tailOf(body: ReadableStream<Uint8Array> | null): Promise<CheckLog> {
  const kept: Uint8Array[] = [];
  let size = 0;
  let dropped = false;
  for await (const chunk of body ?? []) {
    kept.push(chunk);
    size += chunk.byteLength;
    for (let [first] = kept; first && size - first.byteLength >= keptBytes; [first] = kept) {
      size -= first.byteLength;
      kept.shift();
      dropped = true;
    }
  }
  const bytes = new Uint8Array(await new Blob(kept as BlobPart[]).arrayBuffer());
  const end = bytes.subarray(Math.max(0, bytes.length - keptBytes));
  return shownTail(new TextDecoder().decode(end), dropped || end.length < bytes.length);
}

/** `cut`: there was more before `text`. */
export function shownTail(text: string, cut: boolean): CheckLog {
  const clean = untilError(text.replace(/\r\n/g, "\n").replace(noise, "")).trimEnd();
  if (clean.length <= shownChars && !cut) return { text: clean, cut: false };
  const tail = clean.slice(-shownChars);
  // The first line is incomplete.
  return { text: tail.slice(tail.indexOf("\n") + 1), cut: true };
}

/** GitHub's runners clean up after the step that failed; that output explains nothing. */
function untilError(text: string): string {
  const last = text.lastIndexOf("##[error]");
  const end = last < 0 ? -1 : text.indexOf("\n", last);
  return end < 0 ? text : text.slice(0, end);
}
