// The op `change`: edits, new files, deletions and moves, all or nothing.
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../../../shared/errors.ts";
import type { Redactor } from "../../../shared/redact/redactor.ts";
import type { ChangeArgs, ChangedFile, ChangeValue } from "../../../shared/sandbox.ts";
import { outsideOf } from "../../jail/protected-run.ts";
import * as limits from "../../limits.ts";
import { hideInDiff, hideInRows } from "../../secrets/hide-rows.ts";
import { begun } from "../attributed.ts";
import type { OpContext } from "../op-context.ts";
import { type PreparedChange, prepareChange } from "./prepare.ts";
import { mustBePlain } from "./protected.ts";
import { shownDiff } from "./shown-diff.ts";
import { writeAll } from "./write-all.ts";

/** Throws HandrailError. Its message begins with `REJECTED, nothing written` if that is certain. */
export async function change(args: ChangeArgs, context: OpContext): Promise<ChangeValue> {
  try {
    return await changeAll(args, context);
  } catch (error) {
    throw error instanceof HandrailError ? refused(error) : error;
  }
}

function refused(error: HandrailError): HandrailError {
  const { code, message, details, retryable } = error;
  if (code === "internal" || message.startsWith("REJECTED")) return error;
  const text = `REJECTED, nothing written.\n${message}`;
  return new HandrailError(code, text, { retryable, cause: error, ...(details ? { details } : {}) });
}

async function changeAll(
  args: ChangeArgs,
  { server: { redactor }, sandbox }: OpContext,
): Promise<ChangeValue> {
  const { folder, quota, own } = sandbox;
  const prepared = await prepareAll(args, folder, redactor);
  const writes = prepared.flatMap((one) => one.writes);
  const paths = writes.map(({ path }) => path);
  mustFitTogether(paths);
  const held = await folder.guard.heldNames(outsideOf(folder));
  const reached = await folder.guard.reached();
  mustBePlain(paths, { root: folder.root, editors: args.editors === true, held, reached });
  await quota.check(writes.reduce((sum, { before, after }) => sum + sizeOf(after) - sizeOf(before), 0));
  if (writes.length > 0) await begun(sandbox);
  if (own && writes.length > 0) await folder.snapshots.edit(own, writes);
  const intents = join(folder.dir, "intents");
  await mkdir(intents, { recursive: true });
  // Everything that goes into the state folder is written first. Otherwise a full disk could fail a change
  // that was made.
  const files: ChangedFile[] = [];
  for (const { content, was, realPath, ...report } of prepared.flatMap((one) => one.reports)) {
    const text = content?.toString() ?? "";
    files.push({
      ...report,
      rows: hideInRows(redactor, report.rows, text),
      diff: shownDiff(hideInDiff(redactor, report.diff, was, text)),
      warnings: report.warnings.map((warning) => redactor.redact(warning)),
      version: content === null ? null : await folder.versions.idOf(realPath, content),
    });
  }
  await writeAll(folder.root, writes, join(intents, `${randomBytes(8).toString("hex")}.json`));
  return { files };
}

/** Each file also takes an inode. */
function sizeOf(content: Buffer | null): number {
  return content === null ? 0 : content.length + limits.inodeBytes;
}

function mustFitTogether(paths: readonly string[]): void {
  const named = new Set<string>();
  for (const path of paths) {
    if (named.has(path))
      throw new HandrailError("invalid_request", `${path} is named twice. Put all edits of a file together.`);
    named.add(path);
  }
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (named.has(folder))
        throw new HandrailError(
          "invalid_request",
          `${folder} would be both a file and the folder of ${path}.`,
        );
    }
  }
}

/** Checks every file before it throws, so that one answer names every problem. */
async function prepareAll(
  args: ChangeArgs,
  folder: OpContext["sandbox"]["folder"],
  redactor: Redactor,
): Promise<PreparedChange[]> {
  const prepared: PreparedChange[] = [];
  const problems: HandrailError[] = [];
  for (const file of args.files) {
    try {
      prepared.push(await prepareChange(file, folder, redactor));
    } catch (error) {
      if (!(error instanceof HandrailError)) throw error;
      problems.push(error);
    }
  }
  const [first] = problems;
  if (!first) return prepared;
  if (problems.length === 1) throw first;
  const details = { ...first.details, all: problems.map(({ code, details: own }) => ({ code, ...own })) };
  throw new HandrailError(first.code, problems.map(({ message }) => message).join("\n\n"), { details });
}
