// The network access of commands (PROTOCOL 4): what a sandbox has, which hosts were refused, and which a person
// allowed.
import * as z from "zod/mini";

/** What commands with write access may reach. In a jail, commands that may only read have no network. */
export const Network = z.literal(["none", "registries", "full"]);
export type Network = z.infer<typeof Network>;

/**
 * How this machine implements each setting. `proxy`: our proxy allows only listed hosts; `namespace`: the command has
 * its own network namespace; `machine`: there is no jail, so commands always use the machine's network.
 */
export const NetworkKinds = z.object({
  registries: z.literal(["proxy", "machine"]),
  full: z.literal(["namespace", "proxy", "machine"]),
});
export type NetworkKinds = z.infer<typeof NetworkKinds>;

/** `once`: for the next command that may write; `session`: for the lifetime of the sandbox. */
export const AllowHost = z.strictObject({ host: z.string(), scope: z.literal(["once", "session"]) });
export type AllowHost = z.infer<typeof AllowHost>;
/** A host that a person allowed for a sandbox's commands, as the proxy reports it. */
export const AllowedHost = z.object({ host: z.string(), scope: z.literal(["once", "session"]) });
export type AllowedHost = z.infer<typeof AllowedHost>;
export const AllowedHosts = z.object({ hosts: z.array(AllowedHost) });
export type AllowedHosts = z.infer<typeof AllowedHosts>;

/**
 * Opens the network for commands of a sandbox without one: once for that `command` line, for all commands, or `never`,
 * so that the person is not asked again. An opened network reaches the same hosts as `registries`.
 */
export const OpenNetwork = z.strictObject({
  scope: z.literal(["once", "session", "never"]),
  command: z.optional(z.string()),
});
export type OpenNetwork = z.infer<typeof OpenNetwork>;
/** The permissions so far; `once`: command lines that have not run since they were allowed. */
export const Opened = z.object({ session: z.boolean(), never: z.boolean(), once: z.array(z.string()) });
export type Opened = z.infer<typeof Opened>;

/** A host that the proxy refused to a command: `host`, or `host:port` for ports other than 443 and 80. */
export const RefusedHost = z.object({
  host: z.string(),
  /** The person can allow only hosts that were refused as `not_allowed`. */
  reason: z.literal(["not_allowed", "private_address", "another_name"]),
});
export type RefusedHost = z.infer<typeof RefusedHost>;
