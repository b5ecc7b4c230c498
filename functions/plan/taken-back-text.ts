// Which files a restore took back, for the model, and what of it a commit holds: files go back, git does not.
import * as z from "zod/mini";
import type { CallResult } from "../../shared/sandbox.ts";
import { RestoreValue } from "../../shared/snapshot.ts";

/** More names than that are counted only. */
const maxNames = 40;

/** Lines for the result of a `restore`; none where it says nothing of files. */
export function takenBackText(result: CallResult | undefined): string[] {
  const { success, data } = z.safeParse(RestoreValue, result?.value);
  if (!success || data.files === undefined) return [];
  const { files, committed, mixed = [] } = data;
  const stayed =
    mixed.length > 0 ? [`Left as they are, for others changed the same lines: ${listed(mixed)}`] : [];
  if (files.length === 0) return stayed.length > 0 ? stayed : ["No file had changed since then."];
  const of = (now: string) => files.filter((file) => file.now === now).map(({ path }) => path);
  const parts = [
    ["changed back", of("changed")],
    ["made since, now gone", of("gone")],
    ["deleted since, there again", of("there")],
  ] as const;
  const lines = parts
    .filter(([, paths]) => paths.length > 0)
    .map(([word, paths]) => `- ${word}: ${listed(paths)}`);
  const commits = committed
    ? [
        `Commit ${committed.commit} holds the work in ${listed(committed.files)} all the same: HEAD was not moved, and \`git status\` shows these files as changed.`,
      ]
    : [];
  return ["Files taken back; what was read of them before is no longer so:", ...lines, ...stayed, ...commits];
}

/** Data of the notice that carries those lines: the model has been told of these files. */
export function takenBackData(result: CallResult | undefined): { takenBack?: string[] } {
  const { success, data } = z.safeParse(RestoreValue, result?.value);
  return success && data.files !== undefined ? { takenBack: data.files.map(({ path }) => path) } : {};
}

function listed(paths: readonly string[]): string {
  const more = paths.length - maxNames;
  return `${paths.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
