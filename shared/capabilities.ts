// What a sandbox server can do (PROTOCOL 4): its response to `GET /v1/capabilities`.
import * as z from "zod/mini";
import { NetworkKinds } from "./network.ts";

export const Capabilities = z.object({
  protocol: z.literal(1),
  engine: z.string(),
  isolation: z.literal(["bubblewrap", "none"]),
  readonlyExec: z.literal(["os", "allowlist"]),
  snapshots: z.boolean(),
  /** Whether a seccomp filter restricts the system calls of jailed commands. */
  seccomp: z.optional(z.boolean()),
  network: z.optional(NetworkKinds),
  /** Whether sandboxes of a served folder can have git worktrees. */
  worktrees: z.optional(z.boolean()),
  /**
   * What ends a command that uses too much memory: the kernel, through a cgroup, or the server, which polls its memory.
   */
  memoryLimit: z.optional(z.literal(["cgroup", "counted"])),
  /**
   * The engines on which new sandboxes can be created, the default first. The edge adds this field if it has several.
   */
  engines: z.optional(z.array(z.object({ name: z.string(), costPerHour: z.optional(z.number()) }))),
  limits: z.catchall(z.object({}), z.number()),
});
export type Capabilities = z.infer<typeof Capabilities>;
