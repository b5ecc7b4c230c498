// Combines the sessions of all guests and of the server `here` into one list, and collects the turns that no
// edge runs.
import * as z from "zod/mini";
import { toHandrailError } from "../../shared/errors.ts";
import { SessionRows } from "../../shared/history.ts";
import { IdleTurns } from "../../shared/journal.ts";
import type { Endpoint, Engine, ListedGuest } from "./engine.ts";
import { sandboxIdOf } from "./guest-id.ts";
import type { Guests } from "./shared-guests.ts";

type ListedSession = SessionRows["rows"][number];

/** How long one guest may delay the list. */
const answerMs = 5_000;
/** How many guests are asked at a time, with a request each. */
const atOnce = 10;

export async function listAll(guests: Guests, url: URL, init: RequestInit): Promise<Response> {
  const { names, options, lists } = guests;
  const here = names.includes("here") ? await options.fetch(url, init) : undefined;
  if (here && !here.ok) return here;
  const { rows, next } = here ? z.parse(SessionRows, await here.json()) : { rows: [], next: undefined };
  const after = url.searchParams.get("after") || undefined;
  const others: ListedSession[] = [];
  for (const { engine, listed } of await lists()) others.push(...(await rowsOf(guests, engine, listed)));
  // Rows older than the last one of this page belong to a later page.
  const here_ = rows.map((row) => ({ row, place: placeOf(row) }));
  const theirs = others
    .map((row) => ({ row, place: placeOf(row) }))
    .filter(({ place }) => (!after || place < after) && (!next || place > next));
  const all = [...here_, ...theirs].sort((a, b) => (a.place < b.place ? 1 : -1));
  return Response.json({ rows: all.map(({ row }) => row), ...(next === undefined ? {} : { next }) });
}

/** The sort key of the sandbox server's list: by the last change, as text. */
function placeOf({ id, createdAt, updatedAt }: ListedSession): string {
  return `${String(Math.max(createdAt, updatedAt)).padStart(15, "0")}.${id}`;
}

async function rowsOf(
  guests: Guests,
  engine: Engine,
  listed: readonly ListedGuest[],
): Promise<ListedSession[]> {
  const rows: ListedSession[] = [];
  for (let first = 0; first < listed.length; first += atOnce)
    rows.push(
      ...(await Promise.all(
        listed.slice(first, first + atOnce).map((guest) => rowOf(guests, engine, guest)),
      )),
    );
  return rows;
}

/** A guest that sleeps is not woken for the list. Only its engine is asked. */
async function rowOf(guests: Guests, engine: Engine, listed: ListedGuest): Promise<ListedSession> {
  const { guest, createdAt, workspace, state } = listed;
  const id = sandboxIdOf({ engine: engine.name, guest });
  const own = state === "ready" ? await ask(guests, engine, guest, "/v1/sandboxes", SessionRows) : undefined;
  const row = own?.rows.find((one) => one.id === id);
  return (
    row ?? {
      id,
      workspace,
      createdAt,
      said: "",
      goal: "",
      mode: "normal",
      stage: "new",
      updatedAt: createdAt,
    }
  );
}

export async function turnsOfAll(guests: Guests, url: URL, init: RequestInit): Promise<IdleTurns> {
  const turns = await turnsHere(guests, url, init);
  for (const { engine, listed } of await guests.lists())
    for (const { guest, state } of listed)
      if (state === "ready")
        turns.push(...((await ask(guests, engine, guest, "/v1/turns", IdleTurns))?.turns ?? []));
  return { turns };
}

/** If the server does not answer, the turns of guests are still returned. */
async function turnsHere({ names, options }: Guests, url: URL, init: RequestInit) {
  if (!names.includes("here")) return [];
  try {
    return z.parse(IdleTurns, await (await options.fetch(url, init)).json()).turns;
  } catch (error) {
    options.log({ event: "engine", engine: "here", problem: toHandrailError(error).message });
    return [];
  }
}

/** undefined = the guest does not answer. */
async function ask<T extends z.core.$ZodType>(
  { options }: Guests,
  engine: Engine,
  guest: string,
  path: string,
  schema: T,
): Promise<z.infer<T> | undefined> {
  try {
    const found = await engine.find(guest);
    if (found.state !== "ready") return undefined;
    const { url, headers, fetch = options.fetch }: Endpoint = found.endpoint;
    const signal = AbortSignal.timeout(answerMs);
    return z.parse(schema, await (await fetch(`${url}${path}`, { headers, signal })).json());
  } catch {
    return undefined;
  }
}
