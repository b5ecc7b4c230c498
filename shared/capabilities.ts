// What a sandbox server can do (PROTOCOL 4): its answer to `GET /v1/capabilities`.
import * as z from "zod/mini";
import { NetworkKinds } from "./network.ts";

export const Capabilities = z.object({
  protocol: z.literal(1),
  engine: z.string(),
  isolation: z.enum(["bubblewrap", "none"]),
  readonlyExec: z.enum(["os", "allowlist"]),
  snapshots: z.boolean(),
  /** Whether the kernel filters what commands in the jail ask of it. */
  seccomp: z.optional(z.boolean()),
  network: z.optional(NetworkKinds),
  /** Whether sandboxes of a served folder can have git worktrees. */
  worktrees: z.optional(z.boolean()),
  /** Who ends a command that takes too much memory: the kernel, for each kind of it, or the server, which looks now and then. */
  memoryLimit: z.optional(z.enum(["cgroup", "counted"])),
  /** Where new sandboxes may be made, the first being the default: added by an edge that has several engines. */
  engines: z.optional(z.array(z.object({ name: z.string(), costPerHour: z.optional(z.number()) }))),
  limits: z.catchall(z.object({}), z.number()),
});
export type Capabilities = z.infer<typeof Capabilities>;
