// Stored data that could not be parsed. The person can export or delete it.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";
import { SessionRecord } from "./session-record.ts";

/** Data that was set aside, and session records that the list leaves out because they do not parse. */
export async function readQuarantine(kv: Kv): Promise<[string, unknown][]> {
  const records = await kv.range("session/");
  return [
    ...(await kv.range("quarantine/")),
    ...records.filter(([, value]) => !z.safeParse(SessionRecord, value).success),
  ];
}

export async function deleteQuarantine(kv: Kv, found: readonly [string, unknown][]): Promise<void> {
  await kv.write(
    [],
    found.map(([key]) => key),
  );
}
