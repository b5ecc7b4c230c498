// The paths of a workspace's files, for mentions with `@`. Loaded when the person types the first mention.
import * as z from "zod/mini";
import { Tree } from "../../shared/api.ts";
import { api } from "./app-state.ts";

/** Few people nest folders deeper than this; the server limits the number of entries itself. */
const depth = 30;
/** Short enough to find a new file soon, long enough that a mention sends one request and not one per letter. */
const freshMs = 20_000;

let last: { sandboxId: string; at: number; paths: Promise<readonly string[]> } | undefined;

/** Never throws: if the server does not answer, there is nothing to pick from. */
export function workspacePaths(sandboxId: string): Promise<readonly string[]> {
  const now = performance.now();
  if (last?.sandboxId === sandboxId && now - last.at < freshMs) return last.paths;
  const paths = read(sandboxId).catch(() => []);
  last = { sandboxId, at: now, paths };
  return paths;
}

async function read(sandboxId: string): Promise<readonly string[]> {
  const answer = await api.send(`/sandboxes/${sandboxId}/tree?depth=${depth}`);
  const { entries } = z.parse(Tree, await answer.json());
  return entries.filter(({ type }) => type === "file").map(({ path }) => path);
}
