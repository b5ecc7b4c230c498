// Hosts that the commands of one sandbox may reach: the registries, the repository's own hosts, those that
// the server's operator configured, and those allowed on the phone. Stored in the sandbox's record, which no
// command can write.
import { HandrailError } from "../../shared/errors.ts";
import type { AllowedHost, AllowHost } from "../../shared/network.ts";
import * as limits from "../limits.ts";
import { type Sandbox, saveRecord } from "../sandbox.ts";
import { authorityOf, shownHost } from "./host-name.ts";
import { type HostRule, hostRule } from "./host-rules.ts";
import { registryHosts } from "./registry-hosts.ts";

const registries = rulesOf(registryHosts);

/** The valid rules among `texts`. */
export function rulesOf(texts: readonly string[]): HostRule[] {
  return texts.map(hostRule).filter((rule) => typeof rule !== "string");
}

/**
 * Allows exactly the host that the person was shown, never a pattern. Throws `invalid_request`, `forbidden`
 * or `too_large`.
 */
export async function allowHost(sandbox: Sandbox, { host, scope }: AllowHost): Promise<AllowedHost[]> {
  const authority = authorityOf(host);
  if (!authority)
    throw new HandrailError(
      "invalid_request",
      "host: give one host as it was refused, like example.com or example.com:8443.",
    );
  const shown = shownHost({ host: authority.host, port: authority.port ?? 443 });
  const rule = hostRule(shown);
  if (typeof rule === "string") throw new HandrailError("forbidden", `host: ${rule}.`);
  const { record } = sandbox;
  const others = (record.hosts ?? []).filter((known) => known.host !== shown);
  const known = (record.hosts ?? []).find((one) => one.host === shown);
  if (others.length >= limits.netAllowed)
    throw new HandrailError(
      "too_large",
      `host: this sandbox has ${limits.netAllowed} allowed hosts; make a new one.`,
    );
  // Allowing a host once does not shorten a permission for the session.
  record.hosts = [...others, { host: shown, scope: known?.scope === "session" ? "session" : scope }];
  await saveRecord(sandbox);
  return record.hosts;
}

/** Revokes every host that was allowed. Running commands keep the hosts that they started with. */
export async function forgetHosts(sandbox: Sandbox): Promise<void> {
  sandbox.record.hosts = [];
  await saveRecord(sandbox);
}

/**
 * The rules for the command that begins now. It uses up hosts that were allowed once, whether it contacts
 * them or not.
 */
export async function takeRules(sandbox: Sandbox, configured: readonly HostRule[]): Promise<HostRule[]> {
  const { record } = sandbox;
  const allowed = record.hosts ?? [];
  if (allowed.some(({ scope }) => scope === "once")) {
    record.hosts = allowed.filter(({ scope }) => scope === "session");
    // Saved before the command begins, so that a server that dies meanwhile cannot allow the host a second
    // time.
    await saveRecord(sandbox);
  }
  return [
    ...registries,
    ...configured,
    ...rulesOf(record.remotes ?? []),
    ...rulesOf(allowed.map(({ host }) => host)),
  ];
}
