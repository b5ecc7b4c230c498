// The app's own settings and lasting counts: pairing token, theme, malformed calls per model.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";
import { ModelPick } from "./session-record.ts";

export const Theme = z.enum(["system", "light", "dark"]);
export type Theme = z.infer<typeof Theme>;

/** Missing or invalid values count as not set; the others are used. */
export const Settings = z.object({
  token: z.catch(z.nullable(z.string()), null),
  theme: z.catch(Theme, "system"),
  /** What new sessions begin with; missing = the server's default. */
  model: z.catch(z.optional(z.object({ provider: z.string(), id: z.string() })), undefined),
  /** A person's own keys, by provider. They leave this device with a turn's request and nothing else. */
  keys: z.catch(z.optional(z.record(z.string(), z.string())), undefined),
  /** Modes that new sessions begin in, by repository. */
  modes: z.catch(z.optional(z.record(z.string(), z.enum(["normal", "plan", "auto"]))), undefined),
  /** What new sessions begin with beside the model, by repository ("" = what the server gives), "*" = all others. */
  picks: z.catch(
    z.optional(z.record(z.string(), z.object({ run: z.optional(ModelPick), plan: z.optional(ModelPick) }))),
    undefined,
  ),
  /** Whether new sessions of the served folder get a git worktree; absent = where another session uses it. */
  /** Where new sessions run, if not in the server's first engine. */
  engine: z.catch(z.optional(z.string()), undefined),
  worktrees: z.catch(z.optional(z.enum(["always", "never"])), undefined),
  /** Whom commits name as their author; absent = whom the server's git names. */
  author: z.catch(z.optional(z.object({ name: z.string(), email: z.string() })), undefined),
  /** Folders with sessions that work on the checked-out branch without being asked. */
  staysOnBranch: z.catch(z.optional(z.array(z.string())), undefined),
  /** Widths of the panes of a wide window in CSS pixels, which are folded away, and whether diffs have two columns there. */
  panes: z.catch(
    z.optional(
      z.object({
        ...{ list: z.optional(z.number()), side: z.optional(z.number()) },
        ...{ listOff: z.optional(z.boolean()), sideOff: z.optional(z.boolean()) },
        split: z.optional(z.boolean()),
      }),
    ),
    undefined,
  ),
  /** false = the screen may go dark while a running turn is watched. */
  keepAwake: z.catch(z.optional(z.boolean()), undefined),
  /** Id of this installation, made once: the server keeps what an installation has not got yet. */
  client: z.catch(z.optional(z.string()), undefined),
  /** false = a plan starts fresh only where the person says so, however full the context is. */
  freshAtHalf: z.catch(z.optional(z.boolean()), undefined),
  /** How many messages were sent here, counted until what the screen explains is known. */
  said: z.catch(z.optional(z.number()), undefined),
  /** MCP servers with the tools that the model may use: what turns are posted with. */
  /** The model of helpers that look around, false = none are sent; missing = the turn's own. */
  helpers: z.catch(
    z.optional(z.union([z.literal(false), z.object({ provider: z.string(), id: z.string() })])),
    undefined,
  ),
  /** The model that reviews plans, and whether it does so unasked; missing = another one than the session's, when asked. */
  reviewer: z.catch(
    z.optional(z.object({ provider: z.string(), id: z.string(), always: z.optional(z.boolean()) })),
    undefined,
  ),
  mcp: z.catch(z.optional(z.array(z.unknown())), undefined),
  /** The offer to install was waved away. */
  noInstall: z.catch(z.optional(z.boolean()), undefined),
});
export type Settings = z.infer<typeof Settings>;

/** By `provider/model`: calls that were repaired, those that went back to the model, and how often each kind came. */
export const MalformedCounts = z.record(
  z.string(),
  z.object({
    repaired: z.number(),
    returned: z.number(),
    kinds: z.optional(z.record(z.string(), z.number())),
  }),
);
export type MalformedCounts = z.infer<typeof MalformedCounts>;

export async function readSettings(kv: Kv): Promise<Settings> {
  const parsed = z.safeParse(Settings, await kv.get("settings"));
  return parsed.success ? parsed.data : { token: null, theme: "system" };
}

export async function writeSettings(kv: Kv, settings: Settings): Promise<void> {
  await kv.write([["settings", settings]]);
}

export async function readMalformed(kv: Kv): Promise<MalformedCounts> {
  return malformedIn(await kv.get("malformed"));
}

function malformedIn(stored: unknown): MalformedCounts {
  const parsed = z.safeParse(MalformedCounts, stored);
  return parsed.success ? parsed.data : {};
}

export async function addMalformed(kv: Kv, more: MalformedCounts): Promise<void> {
  await kv.update("malformed", (stored) => sumOf(malformedIn(stored), more));
}

function sumOf(counts: MalformedCounts, more: MalformedCounts): MalformedCounts {
  const sum = { ...counts };
  for (const [model, count] of Object.entries(more)) {
    const old = sum[model] ?? { repaired: 0, returned: 0, kinds: {} };
    const kinds = { ...old.kinds };
    for (const [kind, times] of Object.entries(count.kinds ?? {})) kinds[kind] = (kinds[kind] ?? 0) + times;
    sum[model] = {
      repaired: old.repaired + count.repaired,
      returned: old.returned + count.returned,
      kinds,
    };
  }
  return sum;
}
