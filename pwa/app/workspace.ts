// Requests to a sandbox to read its files and to put files back. Loaded when first needed.
import * as z from "zod/mini";
import { Tree } from "../../shared/api.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { api } from "./app-state.ts";

/** `seen` is the hash of the file in the `index` line of the diff. Resolves to the snapshot that was taken before. */
export function takeBack(
  sandboxId: string,
  body: { snapshot: string; path: string; seen: string; hunk?: number },
): Promise<string> {
  return restore(sandboxId, { ...body, own: true });
}

/**
 * Takes back the session's changes since `snapshot`, except those to the files in `except`. Also puts back the files in
 * `also`, which others changed too or alone. Resolves to the snapshot that was taken before.
 */
export function restoreOwn(
  sandboxId: string,
  body: { snapshot: string; also?: readonly string[]; except?: readonly string[] },
): Promise<string> {
  return restore(sandboxId, { ...body, own: true });
}

/**
 * Called before a turn that undoes a step but leaves other people's changes alone: it puts the files in `also` back to
 * `snapshot`. Resolves to the snapshot taken before, from which the whole undo can be undone.
 */
export async function beforeRewind(
  sandboxId: string,
  snapshot: string,
  { also, except }: { also: readonly string[]; except: readonly string[] },
): Promise<string> {
  if (also.length > 0) return restoreOwn(sandboxId, { snapshot, also, except });
  return (await api.snapshot(sandboxId)).snapshot;
}

async function restore(sandboxId: string, body: object): Promise<string> {
  const init = { method: "POST", body: JSON.stringify(body) };
  const response = await api.send(`/sandboxes/${sandboxId}/restore`, init);
  return z.parse(SnapshotValue, await response.json()).snapshot;
}

/** Reads one level of the tree; `path` "" is the workspace itself. */
export async function listFolder(sandboxId: string, path: string): Promise<Tree> {
  const query = path === "" ? "" : `&path=${encodeURIComponent(path)}`;
  return z.parse(Tree, await (await api.send(`/sandboxes/${sandboxId}/tree?depth=1${query}`)).json());
}

export interface FileBytes {
  bytes: Blob;
  /** The size of the whole file. */
  size: number;
}

/** Reads the first `maxBytes` of a file, or all of it. */
export async function readFileBytes(sandboxId: string, path: string, maxBytes?: number): Promise<FileBytes> {
  const init = maxBytes === undefined ? {} : { headers: { range: `bytes=0-${maxBytes - 1}` } };
  const url = `/sandboxes/${sandboxId}/file?path=${encodeURIComponent(path)}`;
  const response = await api.send(url, init).catch((error: unknown) => {
    // An empty file has no byte range that could be requested.
    if (maxBytes === undefined || !String(error).includes("range")) throw error;
    return api.send(url);
  });
  const bytes = await response.blob();
  const whole = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
  return { bytes, size: whole === undefined ? bytes.size : Number(whole) };
}

export async function readArchive(sandboxId: string): Promise<Blob> {
  return (await api.send(`/sandboxes/${sandboxId}/archive`)).blob();
}

/** Commits that no remote has, as a git bundle. */
export async function readBundle(sandboxId: string): Promise<Blob> {
  return (await api.send(`/sandboxes/${sandboxId}/bundle`)).blob();
}

/** Offers bytes to the browser as a download of that name. */
export function download(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
