// The app's settings and lasting counts: pairing token, theme, malformed calls per model, and others.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";
import { ModelPick } from "./session-record.ts";

export const Theme = z.enum(["system", "light", "dark"]);
export type Theme = z.infer<typeof Theme>;

/** Missing or invalid values count as not set; the others are used. */
export const Settings = z.object({
  token: z.catch(z.nullable(z.string()), null),
  theme: z.catch(Theme, "system"),
  /** The defaults of new sessions; missing for the server's default. */
  model: z.catch(z.optional(z.object({ provider: z.string(), id: z.string() })), undefined),
  /** The person's own keys, by provider. They leave this device only with a turn's request. */
  keys: z.catch(z.optional(z.record(z.string(), z.string())), undefined),
  /** The modes in which new sessions begin, by repository. */
  modes: z.catch(z.optional(z.record(z.string(), z.enum(["normal", "plan", "auto"]))), undefined),
  /**
   * The other choices for new sessions, by repository: "" is the server's default files, "*" all other repositories.
   */
  picks: z.catch(
    z.optional(z.record(z.string(), z.object({ run: z.optional(ModelPick), plan: z.optional(ModelPick) }))),
    undefined,
  ),
  /** The engine in which new sessions run, if not the server's first. */
  engine: z.catch(z.optional(z.string()), undefined),
  /**
   * Whether new sessions of the served folder get a git worktree; absent means only if another session uses the folder.
   */
  worktrees: z.catch(z.optional(z.enum(["always", "never"])), undefined),
  /** The author of commits; absent for the one that the server's git names. */
  author: z.catch(z.optional(z.object({ name: z.string(), email: z.string() })), undefined),
  /** Folders whose sessions work on the checked-out branch without being asked. */
  staysOnBranch: z.catch(z.optional(z.array(z.string())), undefined),
  /** For wide windows: the panes' widths in CSS pixels, which panes are folded, and whether diffs have two columns. */
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
  /** False if the screen may go dark while the person watches a running turn. */
  keepAwake: z.catch(z.optional(z.boolean()), undefined),
  /** The id of this installation, made once. The server uses it to keep what the installation has not received yet. */
  client: z.catch(z.optional(z.string()), undefined),
  /** False if a plan starts with a clean context only when the person says so, however full the context is. */
  freshAtHalf: z.catch(z.optional(z.boolean()), undefined),
  /** The number of messages sent on this device, counted until the captions are no longer needed. */
  said: z.catch(z.optional(z.number()), undefined),
  /** The model of helpers that explore; false if none are sent, missing for the turn's own model. */
  helpers: z.catch(
    z.optional(z.union([z.literal(false), z.object({ provider: z.string(), id: z.string() })])),
    undefined,
  ),
  /**
   * The model that reviews plans, and whether it does so without being asked; missing means a model other than the
   * session's, on request.
   */
  reviewer: z.catch(
    z.optional(z.object({ provider: z.string(), id: z.string(), always: z.optional(z.boolean()) })),
    undefined,
  ),
  mcp: z.catch(z.optional(z.array(z.unknown())), undefined),
  /** True if the person dismissed the offer to install the app. */
  noInstall: z.catch(z.optional(z.boolean()), undefined),
});
export type Settings = z.infer<typeof Settings>;

/**
 * By `provider/model`: the number of calls that were repaired, of those that went back to the model, and of each kind
 * of error.
 */
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
