// Hides secrets in differences that a command or git printed. The signs before the lines of a private key
// must not keep it from being recognized, and must not be lost. It knows no files; hide-rows.ts works on
// whole texts.
import type { Redactor } from "../../shared/redact/redactor.ts";

/**
 * Like `redactor`. In whole texts, hunks also keep their signs, and a private key is recognized by its end
 * alone.
 */
export function diffRedactor(redactor: Redactor): Redactor {
  return {
    redact: (text) => endsHidden(redactor.redact(/^@@ /m.test(text) ? hunksHidden(redactor, text) : text)),
    stream: () => redactor.stream(),
  };
}

const mark = "[redacted: private key]";

const keyEnd = /^-----END [A-Z ]*PRIVATE KEY-----/;
const keyText = /^[A-Za-z0-9+/=]+\r?$/;

/**
 * Searches upwards from each end. Searching for an end from every line that could begin a key takes hours in
 * a list of words.
 */
function endsHidden(text: string): string {
  if (!text.includes("-----END ")) return text;
  const lines = text.split("\n");
  for (const [end, line] of lines.entries()) {
    if (!keyEnd.test(line)) continue;
    for (let at = end - 1; keyText.test(lines[at] ?? ""); at -= 1)
      lines[at] = lines[at]?.endsWith("\r") ? `${mark}\r` : mark;
  }
  return lines.join("\n");
}

/**
 * The form of a line of a key. A hunk may show only the middle of a key. Certificates look the same and are
 * hidden too.
 */
const keyLine = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9+/]{60,76}(?=\r?$)/gm;

function partsHidden(text: string): string {
  return endsHidden(text).replace(keyLine, mark);
}

function hunksHidden(redactor: Redactor, text: string): string {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, range, name] = /^(@@ .*? @@)(?: (.*))?$/.exec(lines[at] ?? "") ?? [];
    if (range === undefined) continue;
    // After the range, git repeats a line of the file.
    if (name !== undefined) lines[at] = `${range} ${partsHidden(redactor.redact(name))}`;
    const from = at + 1;
    while (/^[ +\\-]/.test(lines[at + 1] ?? "")) at += 1;
    // The new side comes last, so that lines of both sides are shown as the new side has them.
    for (const sign of ["-", "+"]) hideSide(redactor, lines, sign, from, at + 1);
  }
  return lines.join("\n");
}

/** Redacts secrets in the lines with `sign` and in those that both sides have. */
function hideSide(redactor: Redactor, lines: string[], sign: string, from: number, to: number): void {
  const own = Array.from({ length: to - from }, (_, index) => from + index).filter((index) =>
    [sign, " "].includes(lines[index]?.[0] ?? ""),
  );
  const text = own.map((index) => lines[index]?.slice(1)).join("\n");
  const shown = partsHidden(redactor.redact(text));
  if (shown === text) return;
  for (const [place, line] of shown.split("\n").entries()) {
    const index = own[place];
    if (index !== undefined) lines[index] = `${lines[index]?.[0]}${line}`;
  }
}
