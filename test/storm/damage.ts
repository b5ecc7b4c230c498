// Damage that a power failure or a bad disk does to journals while their server is down.
import { open, readdir, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Act } from "./schedule.ts";
import type { Session } from "./session.ts";
import type { Town } from "./town.ts";

type How = Extract<Act, { do: "damage journals" }>["how"];

/** The newest journal of each session. */
export async function damageJournals(
  town: Town,
  sessions: readonly Session[],
  how: How,
  share: number,
): Promise<void> {
  for (const session of sessions) {
    const path = await newestJournal(town, session);
    if (path) await damage(path, how, share);
  }
  await noteLosses(town, sessions);
}

/**
 * Records for each session whether its newest journal still contains everything that its client has.
 * `copied`: the remaining turn does not continue without the person, so only a turn that is lost completely
 * may run again.
 */
export async function noteLosses(
  town: Town,
  sessions: readonly Session[],
  { copied = false } = {},
): Promise<void> {
  for (const session of sessions) {
    const turnId = session.body?.turnId ?? "";
    const left = await town.read("state", "sandboxes", session.name, "turns", `${turnId}.ndjson`);
    if (copied && left !== "") continue;
    if (session.first.after(turnId) <= lastSent(left)) session.lostUnseen = true;
  }
}

/**
 * The id of the last event that may have been sent, by a journal: a result may be sent before it is recorded.
 */
function lastSent(journal: string): number {
  const ids = [...journal.matchAll(/"id":(\d+),"event":"/g)];
  const last = ids.at(-1);
  const results = journal.slice(last?.index ?? 0).match(/"type":"result"/g) ?? [];
  return Number(last?.[1] ?? 0) + results.length;
}

async function newestJournal(town: Town, { name }: Session): Promise<string | undefined> {
  const folder = join(town.state, "sandboxes", name, "turns");
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names
      .filter((file) => file.endsWith(".ndjson"))
      .map(async (file) => ({ path: join(folder, file), at: (await stat(join(folder, file))).mtimeMs })),
  );
  return files.toSorted((a, b) => b.at - a.at)[0]?.path;
}

async function damage(path: string, how: How, share: number): Promise<void> {
  const bytes = await readFile(path);
  const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
  const inLastLine = lastLine + Math.floor(share * (bytes.length - lastLine));
  if (how === "torn") return truncate(path, inLastLine);
  if (how === "cut") return truncate(path, Math.floor(share * bytes.length));
  if (how === "NUL") return nulls(path, inLastLine, bytes.length - inLastLine);
  if (how === "NUL after") return nulls(path, bytes.length, 1 + Math.floor(share * 4_096));
  const middle = Math.floor(share * lastLine);
  return nulls(path, middle, Math.min(40, lastLine - middle));
}

async function nulls(path: string, at: number, count: number): Promise<void> {
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(count), 0, count, at);
  await file.close();
}
