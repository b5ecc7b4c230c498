// The network of commands (PROTOCOL 4): what a sandbox has, which hosts were refused and which a person allowed.
import * as z from "zod/mini";

/** What commands with write access may reach; in a jail, reading has no network. */
export const Network = z.enum(["none", "registries", "full"]);
export type Network = z.infer<typeof Network>;

/**
 * What each setting means on this machine. `proxy`: ours, which allows only listed hosts; `namespace`: a network of the
 * command's own; `machine`: there is no jail, and commands use the machine's network whatever is set.
 */
export const NetworkKinds = z.object({
  registries: z.enum(["proxy", "machine"]),
  full: z.enum(["namespace", "proxy", "machine"]),
});
export type NetworkKinds = z.infer<typeof NetworkKinds>;

/** `once`: for the next command that may write; `session`: for as long as the sandbox lives. */
export const AllowHost = z.strictObject({ host: z.string(), scope: z.enum(["once", "session"]) });
export type AllowHost = z.infer<typeof AllowHost>;
/** A host that a person allowed a sandbox's commands, as the proxy writes it. */
export const AllowedHost = z.object({ host: z.string(), scope: z.enum(["once", "session"]) });
export type AllowedHost = z.infer<typeof AllowedHost>;
export const AllowedHosts = z.object({ hosts: z.array(AllowedHost) });
export type AllowedHosts = z.infer<typeof AllowedHosts>;

/**
 * Opens the network for commands of a sandbox without one: once for that `command` line, for all commands, or never,
 * without being asked again. It reaches the same hosts as `registries`.
 */
export const OpenNetwork = z.strictObject({
  scope: z.enum(["once", "session", "never"]),
  command: z.optional(z.string()),
});
export type OpenNetwork = z.infer<typeof OpenNetwork>;
/** Permissions so far; `once`: command lines that have not run since. */
export const Opened = z.object({ session: z.boolean(), never: z.boolean(), once: z.array(z.string()) });
export type Opened = z.infer<typeof Opened>;

/** A host that a command was refused: `host`, or `host:port` for other ports than 443 and 80. */
export const RefusedHost = z.object({
  host: z.string(),
  /** Only hosts refused as `not_allowed` can be allowed. */
  reason: z.enum(["not_allowed", "private_address", "another_name"]),
});
export type RefusedHost = z.infer<typeof RefusedHost>;
