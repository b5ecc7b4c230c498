// What the model reads of a sandbox result: sized for it, never silently cut. Pure functions of the recorded result.
import * as z from "zod/mini";
import {
  type CallResult,
  ChangeValue,
  ExecValue,
  GitValue,
  ListValue,
  type OpName,
  ReadValue,
  SearchValue,
  SnapshotValue,
} from "../../shared/sandbox.ts";
import { limits } from "../limits.ts";

export interface ResultText {
  ok: boolean;
  text: string;
  /** Facts for the UI's one-line card. */
  facts?: Record<string, unknown>;
}

/** `result` of an `op` as text for the model and facts for the person. */
export function resultText(op: OpName, result: CallResult): ResultText {
  if (!result.ok) {
    const code = result.error?.code ?? "internal";
    const message = result.error?.message ?? "the call failed";
    const text = message.startsWith("REJECTED") ? message : `error: ${message}`;
    return { ok: false, text: clip(text), facts: { code, ms: result.ms } };
  }
  const made = valueText(op, result.value);
  return { ok: true, text: clip(made.text), facts: { ...made.facts, ms: result.ms } };
}

function valueText(op: OpName, value: unknown): { text: string; facts: Record<string, unknown> } {
  switch (op) {
    case "read": {
      const { path, version, start, end, total, rows, truncated } = z.parse(ReadValue, value);
      const header = `[${path} @${version} lines ${start}-${end} of ${total}]`;
      const more = truncated && end < total ? `\n[more: read on with start=${end + 1}]` : "";
      return { text: `${header}\n${rows}${more}`, facts: { path, start, end, total } };
    }
    case "list": {
      const { entries, truncated } = z.parse(ListValue, value);
      const rows = entries.map((entry) =>
        entry.type === "dir" ? `${entry.path}/` : `${entry.path} ${entry.size}`,
      );
      const more = truncated ? "\n[more entries: narrow with path, glob or depth]" : "";
      return { text: `${rows.join("\n") || "(empty)"}${more}`, facts: { entries: entries.length } };
    }
    case "search": {
      const { matches, truncated } = z.parse(SearchValue, value);
      const blocks = matches.map((match) => `[${match.path} @${match.version}]\n${match.rows}`);
      const more = truncated ? "\n[more matches: narrow the pattern or the glob]" : "";
      return { text: `${blocks.join("\n") || "no matches"}${more}`, facts: { files: matches.length } };
    }
    case "change": {
      const { files } = z.parse(ChangeValue, value);
      const blocks = files.map((file) => {
        const now =
          file.version === null
            ? `${file.path} is gone`
            : `[${file.path} @${file.version}] +${file.added} -${file.removed}`;
        return [now, ...file.warnings.map((warning) => `warning: ${warning}`), file.rows]
          .filter((line) => line !== "")
          .join("\n");
      });
      const facts = files.map(({ path, added, removed, diff }) => ({
        path,
        added,
        removed,
        diff: clip(diff, limits.maxFactDiffBytes),
      }));
      return { text: blocks.join("\n"), facts: { files: facts } };
    }
    case "exec": {
      const exec = z.parse(ExecValue, value);
      return { text: execText(exec), facts: { exitCode: exec.exitCode, timedOut: exec.timedOut } };
    }
    case "git": {
      const { exitCode, stdout, stderr } = z.parse(GitValue, value);
      return { text: stdout || stderr, facts: { exitCode } };
    }
    case "snapshot":
    case "restore":
      return { text: z.parse(SnapshotValue, value).snapshot, facts: {} };
  }
}

/** Exit, then output: what a model needs to go on. */
export function execText(exec: ExecValue): string {
  const how = exec.timedOut ? "timed out" : exec.signal ? `ended by ${exec.signal}` : `exit ${exec.exitCode}`;
  const parts = [how];
  if (exec.stdout !== "") parts.push(exec.stdout.trimEnd());
  if (exec.stderr !== "") parts.push(`[stderr]\n${exec.stderr.trimEnd()}`);
  if (exec.stdout === "" && exec.stderr === "") parts.push("(no output)");
  return parts.join("\n");
}

/** At most `maxBytes` of UTF-8, head and tail kept, the cut named. */
export function clip(text: string, maxBytes: number = limits.maxToolContentBytes): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const note = (cut: number) => `\n[… ${cut} bytes cut …]\n`;
  const room = maxBytes - new TextEncoder().encode(note(bytes.length)).length;
  const head = Math.ceil(room * 0.6);
  const decode = (part: Uint8Array) => new TextDecoder().decode(part);
  // A character cut in half decodes to U+FFFD at the cut; it goes with the part that is missing.
  const kept = decode(bytes.subarray(0, head)).replace(/\uFFFD+$/, "");
  const tail = decode(bytes.subarray(bytes.length - (room - head))).replace(/^\uFFFD+/, "");
  return `${kept}${note(bytes.length - room)}${tail}`;
}
