// Reads the open issues of a session's repository, for `#` in the composer, if a forge that the server knows hosts it.
import type { ForgeIssue } from "../../shared/forge.ts";
import { namedFirst } from "../session/mentions.ts";
import { gitState } from "./delivery.ts";
import { forges, issues, keptToken } from "./forge.ts";

interface KnownIssues {
  at: number;
  first: Promise<readonly ForgeIssue[]>;
}

/** Forges limit requests, and a person rarely looks for an issue that was opened within this time. */
const keptMs = 60_000;
const known = new Map<string, KnownIssues>();

/**
 * Returns the newest issues whose number begins with `query` or whose title contains it, that number itself first. Throws
 * the error of the forge or of the server.
 */
export async function fittingIssues(sandboxId: string, query: string, most: number): Promise<ForgeIssue[]> {
  const now = Date.now();
  let entry = known.get(sandboxId);
  if (entry === undefined || now - entry.at > keptMs) {
    entry = { at: now, first: firstIssues(sandboxId) };
    known.set(sandboxId, entry);
    entry.first.catch(() => known.delete(sandboxId));
  }
  return namedFirst(await entry.first, query.toLowerCase()).slice(0, most);
}

async function firstIssues(sandboxId: string): Promise<readonly ForgeIssue[]> {
  const { remote } = await gitState(sandboxId);
  if (remote === null || !(await forges()).some(({ host }) => host === remote.host)) return [];
  const token = await keptToken(remote.host);
  return (await issues(remote.host, `${remote.owner}/${remote.name}`, "", token)).issues;
}
