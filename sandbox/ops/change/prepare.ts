// Works out what a change would do to one file, without writing. write-all.ts does the writing.
import { createHash } from "node:crypto";
import { HandrailError } from "../../../shared/errors.ts";
import { applyEdits } from "../../../shared/hashline/apply.ts";
import { countChanges, unifiedDiff } from "../../../shared/hashline/diff.ts";
import { renderPlaces } from "../../../shared/hashline/regions.ts";
import { rejectUnknownBase } from "../../../shared/hashline/rejection.ts";
import { splitText } from "../../../shared/hashline/text.ts";
import { readContent, wholeFileChanged } from "../../../shared/hashline/whole-file.ts";
import type { Redactor } from "../../../shared/redact/redactor.ts";
import type { ChangedFile, FileChange } from "../../../shared/sandbox.ts";
import * as limits from "../../limits.ts";
import { changeablePath } from "../../paths/relative-path.ts";
import { type Owner, readTextFile, type TextFile } from "../../paths/text-file.ts";
import { hideInRows } from "../../secrets/hide-rows.ts";
import type { Folder } from "../../workspace/folder.ts";
import { freePlace, mustBeNoLink } from "./places.ts";

/** One write to the disk. `before` and `after`: whole contents; null = no file. */
export interface FileWrite {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
  mode: number | undefined;
  owner?: Owner | undefined;
}

/**
 * `reports` lack the new versions (`content` is what will be written, null = deleted) and may contain
 * secrets.
 */
export interface PreparedChange {
  writes: FileWrite[];
  reports: (Omit<ChangedFile, "version"> & { content: Buffer | null; was: string; realPath: string })[];
}

/** The first and last rows of a file whose whole content the request contained. */
function endsOf(text: string): string {
  const { lines } = splitText(text);
  const whole = { from: 0, to: lines.length };
  return renderPlaces(lines, [whole], {
    ...{ around: 0, maxPlaceRows: 24, maxRows: 24, maxChars: 4_000, maxLineChars: limits.lineChars },
    known: [{ ...whole, as: "sent" }],
  });
}

/**
 * Throws HandrailError with a message that begins with `REJECTED, nothing written` if the request does not
 * fit the file.
 */
export async function prepareChange(
  change: FileChange,
  folder: Folder,
  redactor: Redactor,
): Promise<PreparedChange> {
  const path = changeablePath(change.path);
  if ("edits" in change) return edited(path, change, folder, redactor);
  if ("content" in change)
    return change.base === null
      ? created(path, change.content, folder)
      : replaced(path, change.content, change.base, folder, redactor);
  await mustBeNoLink(folder.root, path);
  const live = await liveAt(path, change.base, folder, redactor);
  const gone = { path, realPath: live.path, content: null, was: live.text, rows: "", warnings: [] };
  if ("delete" in change) {
    const counts = countChanges(live.text, "");
    return {
      writes: [{ path: live.path, before: live.bytes, after: null, mode: live.mode, owner: live.owner }],
      reports: [{ ...gone, ...counts, diff: unifiedDiff(live.text, "", path, null) }],
    };
  }
  const target = changeablePath(change.moveTo);
  const realTarget = await freePlace(folder.root, target);
  const arrived = {
    path: target,
    realPath: realTarget,
    content: live.bytes,
    was: live.text,
    rows: "",
    warnings: [],
  };
  return {
    writes: [
      { path: realTarget, before: null, after: live.bytes, mode: live.mode, owner: live.owner },
      { path: live.path, before: live.bytes, after: null, mode: live.mode, owner: live.owner },
    ],
    reports: [
      { ...arrived, added: 0, removed: 0, diff: unifiedDiff(live.text, live.text, path, target) },
      { ...gone, added: 0, removed: 0, diff: "" },
    ],
  };
}

async function edited(
  path: string,
  change: Extract<FileChange, { edits: unknown }>,
  folder: Folder,
  redactor: Redactor,
): Promise<PreparedChange> {
  const { live, version } = await readLive(path, folder);
  const base =
    change.base === undefined || change.base === version
      ? live.text
      : await folder.versions.textOf(live.path, change.base);
  const request = createHash("sha256").update(JSON.stringify(change)).digest("base64");
  const wanted = { live: live.text, edits: change.edits, path, version, maxLineChars: limits.lineChars };
  const earlierNoChanges = folder.noChanges.earlier(live.path, request);
  const result =
    base === undefined
      ? rejectUnknownBase({ ...wanted, base: change.base ?? "" })
      : applyEdits({ ...wanted, base, earlierNoChanges });
  if (!result.ok) {
    if (result.reason === "no_change" || result.reason === "no_change_repeated")
      folder.noChanges.count(live.path, request);
    const message =
      base === undefined || base === live.text || change.base === undefined
        ? result.message
        : `${result.message}\n${versionsApart(change.base, base, version, live.text)}`;
    throw new HandrailError(result.code, hideInRows(redactor, message, live.text), {
      details: { reason: result.reason, problems: result.problems, path, version },
    });
  }
  folder.noChanges.forget(live.path);
  const content = encoded(result.text, path);
  return {
    writes: [{ path: live.path, before: live.bytes, after: content, mode: live.mode, owner: live.owner }],
    reports: [
      {
        ...{
          path,
          realPath: live.path,
          content,
          was: live.text,
          added: result.added,
          removed: result.removed,
          rows: result.rows,
        },
        ...{ diff: unifiedDiff(live.text, result.text, path, path), warnings: result.warnings },
      },
    ],
  };
}

/** Compares the line counts of both versions, for a model that still uses old line numbers. */
function versionsApart(base: string, was: string, version: string, now: string): string {
  const again = Number(version.slice(1)) < Number(base.slice(1)) ? " again" : "";
  const count = (text: string): number => splitText(text).lines.length;
  return `${base} had ${count(was)} lines; the file is ${version}${again}, with ${count(now)}.`;
}

async function created(path: string, text: string, folder: Folder): Promise<PreparedChange> {
  const realPath = await freePlace(folder.root, path);
  const content = encoded(text, path);
  const rows = endsOf(text);
  const diff = unifiedDiff("", text, null, path);
  return {
    writes: [{ path: realPath, before: null, after: content, mode: undefined }],
    reports: [{ path, realPath, content, was: "", ...countChanges("", text), rows, diff, warnings: [] }],
  };
}

async function replaced(
  path: string,
  wanted: string,
  base: string,
  folder: Folder,
  redactor: Redactor,
): Promise<PreparedChange> {
  const live = await liveAt(path, base, folder, redactor);
  const { text, warnings, refusal } = readContent(wanted, live.text);
  const content = encoded(text, path);
  if (refusal) {
    throw new HandrailError(
      "invalid_request",
      `REJECTED, nothing written to ${path}.\n${refusal.reason}: ${refusal.text}. Change the other lines with edits.`,
      { details: { reason: refusal.reason, path, version: base } },
    );
  }
  const rows = endsOf(text);
  const same = content.equals(live.bytes);
  return {
    writes: same
      ? []
      : [{ path: live.path, before: live.bytes, after: content, mode: live.mode, owner: live.owner }],
    reports: [
      {
        ...{ path, realPath: live.path, content, was: live.text, ...countChanges(live.text, text), rows },
        ...{
          diff: unifiedDiff(live.text, text, path, path),
          warnings: same ? ["already applied: the file reads like that", ...warnings] : warnings,
        },
      },
    ],
  };
}

async function readLive(path: string, folder: Folder): Promise<{ live: TextFile; version: string }> {
  const live = await readTextFile(folder.root, path);
  // A link may lead to a protected file.
  changeablePath(live.path);
  return { live, version: await folder.versions.idOf(live.path, live.bytes) };
}

/** The file in its current state, which must be the version `base`. */
async function liveAt(path: string, base: string, folder: Folder, redactor: Redactor): Promise<TextFile> {
  const { live, version } = await readLive(path, folder);
  if (version === base) return live;
  const was = await folder.versions.textOf(live.path, base);
  if (was === undefined) throw unknownVersion(path, base, version);
  const message = wholeFileChanged({
    ...{ base, was, live: live.text, path, version },
    maxLineChars: limits.lineChars,
  });
  throw new HandrailError("stale_file", hideInRows(redactor, message, live.text), {
    details: { reason: "stale_lines", path, version },
  });
}

function unknownVersion(path: string, base: string, version: string): HandrailError {
  return new HandrailError(
    "stale_file",
    `REJECTED, nothing written to ${path}.\nThe version ${base.slice(0, 40)} of it is not known (any more); it is ${version} now. Read it again and take references from there.`,
    { details: { reason: "unknown_version", path, version } },
  );
}

function encoded(text: string, path: string): Buffer {
  if (/\p{Surrogate}/u.test(text))
    throw new HandrailError(
      "invalid_request",
      `The new text of ${path} is not valid Unicode. Send it in plain UTF-8.`,
    );
  if (text.includes("\0"))
    throw new HandrailError("not_text", `The new text of ${path} holds a NUL character; leave it out.`);
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > limits.fileBytes) {
    throw new HandrailError(
      "too_large",
      `The new text of ${path} is above ${limits.fileBytes} bytes. Write it in parts.`,
    );
  }
  return bytes;
}
