// The app's own settings and lasting counts: pairing token, theme, malformed calls per model.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";

export const Theme = z.enum(["system", "light", "dark"]);
export type Theme = z.infer<typeof Theme>;

export const Settings = z.object({ token: z.nullable(z.string()), theme: Theme });
export type Settings = z.infer<typeof Settings>;

/** By `provider/model`: calls that were repaired, and those that went back to the model. */
export const MalformedCounts = z.record(z.string(), z.object({ repaired: z.number(), returned: z.number() }));
export type MalformedCounts = z.infer<typeof MalformedCounts>;

export async function readSettings(kv: Kv): Promise<Settings> {
  const parsed = z.safeParse(Settings, await kv.get("settings"));
  return parsed.success ? parsed.data : { token: null, theme: "system" };
}

export async function writeSettings(kv: Kv, settings: Settings): Promise<void> {
  await kv.write([["settings", settings]]);
}

export async function readMalformed(kv: Kv): Promise<MalformedCounts> {
  const parsed = z.safeParse(MalformedCounts, await kv.get("malformed"));
  return parsed.success ? parsed.data : {};
}

export async function addMalformed(kv: Kv, more: MalformedCounts): Promise<void> {
  const sum = { ...(await readMalformed(kv)) };
  for (const [model, count] of Object.entries(more)) {
    const old = sum[model] ?? { repaired: 0, returned: 0 };
    sum[model] = { repaired: old.repaired + count.repaired, returned: old.returned + count.returned };
  }
  await kv.write([["malformed", sum]]);
}
