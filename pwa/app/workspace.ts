// What the sheets of changes and files ask of a sandbox. Loaded with the first of them.
import * as z from "zod/mini";
import { Tree } from "../../shared/api.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { api } from "./app-state.ts";

/** `seen`: the hash of the file in the `index` line of the diff. Resolves to the snapshot taken before. */
export function takeBack(
  sandboxId: string,
  body: { snapshot: string; path: string; seen: string; hunk?: number },
): Promise<string> {
  return restore(sandboxId, { ...body, own: true });
}

/**
 * What the session did since `snapshot` is taken back, but for `except`; `also` names files of others, or changed by both,
 * that go back with it. The answer is the snapshot from before.
 */
export function restoreOwn(
  sandboxId: string,
  body: { snapshot: string; also?: readonly string[]; except?: readonly string[] },
): Promise<string> {
  return restore(sandboxId, { ...body, own: true });
}

/**
 * Called before a turn undoes a step and leaves other people's changes alone: the files in `also` go back to `snapshot`.
 * Resolves to the snapshot taken before, from which the whole undo can be undone.
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

/** One level of the tree. `path`: "" = the workspace. */
export async function listFolder(sandboxId: string, path: string): Promise<Tree> {
  const query = path === "" ? "" : `&path=${encodeURIComponent(path)}`;
  return z.parse(Tree, await (await api.send(`/sandboxes/${sandboxId}/tree?depth=1${query}`)).json());
}

export interface FileBytes {
  bytes: Blob;
  /** Size of the whole file. */
  size: number;
}

/** The first `maxBytes` of a file, or all of it. */
export async function readFileBytes(sandboxId: string, path: string, maxBytes?: number): Promise<FileBytes> {
  const init = maxBytes === undefined ? {} : { headers: { range: `bytes=0-${maxBytes - 1}` } };
  const url = `/sandboxes/${sandboxId}/file?path=${encodeURIComponent(path)}`;
  const response = await api.send(url, init).catch((error: unknown) => {
    // No byte of an empty file can be asked for.
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

/** Hands bytes to the browser as a file of that name. */
export function download(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
