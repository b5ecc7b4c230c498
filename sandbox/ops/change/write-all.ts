// Writes prepared contents to the workspace, all of them or none, even if the server dies at any point: an
// intent on disk lists the changes, and intent.ts finishes or reverts them.
import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HandrailError } from "../../../shared/errors.ts";
import { writeWhole } from "../../files.ts";
import { callFailed, diskError } from "../../paths/disk-error.ts";
import { errnoOf, fsError } from "../../paths/fs-error.ts";
import { type OpenedFolder, openFile, openFolder } from "../../paths/inside.ts";
import { type Intent, settle } from "./intent.ts";
import { missingFolders, removeEmptyFolders } from "./new-folders.ts";
import type { FileWrite } from "./prepare.ts";

interface WritePlace extends FileWrite {
  folder: OpenedFolder;
  name: string;
  temporary: string;
}

/** `intentPath`: a new file name in the folder's own state. Throws HandrailError if nothing was changed. */
export async function writeAll(
  root: string,
  writes: readonly FileWrite[],
  intentPath: string,
): Promise<void> {
  if (writes.length === 0) return;
  const planned = writes.map((write) => ({
    ...write,
    temporary: `.handrail-tmp-${randomBytes(8).toString("hex")}`,
  }));
  const written = writes.flatMap(({ path, after }) => (after === null ? [] : [path]));
  const intent: Intent = {
    state: "writing",
    files: planned.map(({ path, before, after, temporary }) => ({
      path,
      before: hash(before),
      after: hash(after),
      temporary,
    })),
    folders: await missingFolders(root, written),
  };
  const keep = (intended: Intent) =>
    writeWhole(intentPath, JSON.stringify(intended), true).catch((error: unknown) => {
      throw diskError(error, "state", callFailed) ?? error;
    });
  await keep(intent);
  const places: WritePlace[] = [];
  let done = false;
  try {
    for (const write of planned) places.push(await writeTemporary(root, write));
    for (const place of places) await mustBeUnchanged(root, place);
    await keep({ ...intent, state: "committed" });
    await putAll(root, places, async (count) => {
      const back = await wayBack(intent, places, count);
      // If this intent cannot be stored, the change is reverted all the same. Only if the server died right
      // now would its next start finish the change instead.
      await keep(back).catch(() => undefined);
      await settle(root, back);
    });
    done = true;
  } catch (error) {
    throw fsError(error, planned[0]?.path ?? "");
  } finally {
    for (const { folder, temporary } of places) {
      await rm(join(folder.at, temporary), { force: true }).catch(() => undefined);
      await folder.handle.sync().catch(() => undefined);
      await folder.handle.close();
    }
    if (!done) await removeEmptyFolders(root, intent.folders);
    await rm(intentPath, { force: true });
  }
}

async function writeTemporary(root: string, write: FileWrite & { temporary: string }): Promise<WritePlace> {
  const parent = dirname(write.path) === "." ? "" : dirname(write.path);
  try {
    const folder = await openFolder(root, parent, write.after !== null);
    const place = { ...write, folder, name: basename(write.path) };
    if (write.after === null) return place;
    try {
      await writeNew(join(folder.at, write.temporary), write.after, write);
      return place;
    } catch (error) {
      await rm(join(folder.at, write.temporary), { force: true });
      await folder.handle.close();
      throw error;
    }
  } catch (error) {
    throw fsError(error, write.path);
  }
}

async function writeNew(
  path: string,
  content: Buffer,
  { mode, owner }: Pick<FileWrite, "mode" | "owner">,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(path, flags, 0o666);
  try {
    await handle.writeFile(content);
    // Only root can chown; other users own what they write. This comes before chmod, because chown clears the
    // set-id bits.
    if (owner) await handle.chown(owner.uid, owner.gid).catch(() => undefined);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The last check before writing, because somebody may have saved the file meanwhile. */
async function mustBeUnchanged(root: string, { path, before, folder, name }: WritePlace): Promise<void> {
  if (before === null) return;
  const opened = await openFile(root, folder.path === "" ? name : `${folder.path}/${name}`);
  try {
    if ((await opened.handle.readFile()).equals(before)) return;
  } finally {
    await opened.handle.close();
  }
  throw new HandrailError(
    "stale_file",
    `REJECTED, nothing written.\n${path} was changed at this very moment. Read it again.`,
    {
      details: { reason: "stale_lines", path },
    },
  );
}

/** `takeBack` gets the number of files already in place when one cannot be written. */
async function putAll(
  root: string,
  places: readonly WritePlace[],
  takeBack: (count: number) => Promise<void>,
): Promise<void> {
  let count = 0;
  try {
    for (const place of places) {
      // Each file is checked again, because with many files the last is replaced long after the first.
      await mustBeUnchanged(root, place);
      await put(place);
      count += 1;
    }
  } catch (error) {
    await takeBack(count);
    throw error;
  }
}

async function put({ path, folder, name, temporary, before, after }: WritePlace): Promise<void> {
  const target = join(folder.at, name);
  if (after === null) return unlink(target);
  if (before !== null) return rename(join(folder.at, temporary), target);
  try {
    // A link, unlike a rename, never replaces a file that has appeared meanwhile.
    await link(join(folder.at, temporary), target);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") {
      throw new HandrailError(
        "stale_file",
        `REJECTED, nothing written.\n${path} exists already. Read it first.`,
        { details: { reason: "exists", path } },
      );
    }
    if (errnoOf(error) !== "EPERM" && errnoOf(error) !== "ENOTSUP" && errnoOf(error) !== "EOPNOTSUPP")
      throw error;
    // A file system without hard links.
    await rename(join(folder.at, temporary), target);
  }
}

/**
 * The intent that reverts the first `count` of `places`, with their old contents written beside them. The
 * others were not changed.
 */
async function wayBack(intent: Intent, places: readonly WritePlace[], count: number): Promise<Intent> {
  for (const { folder, temporary, before, mode, owner } of places.slice(0, count)) {
    await rm(join(folder.at, temporary), { force: true });
    if (before !== null) await writeNew(join(folder.at, temporary), before, { mode, owner });
  }
  const files = intent.files.map((file, index) => ({
    ...file,
    before: index < count ? file.after : file.before,
    after: file.before,
  }));
  return { ...intent, state: "undoing", files };
}

function hash(content: Buffer | null): string | null {
  return content === null ? null : createHash("sha256").update(content).digest("hex");
}
