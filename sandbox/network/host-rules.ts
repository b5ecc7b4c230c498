// Rules for the hosts that a command may reach: parses them as people write them, and finds the one that
// covers a host and port.
import { isForbidden } from "./forbidden-address.ts";
import { authorityOf, type HostName, isLocalName, isWebPort } from "./host-name.ts";

/** One line of an allow-list. */
export interface HostRule {
  /** Canonical; see host-name.ts. */
  name: string;
  /** true = the names below it, but not the name itself. */
  below: boolean;
  /** undefined = the web's ports, 443 and 80. */
  port: number | undefined;
}

/**
 * Parses `example.com`, `example.com:8443` or `*.example.com`. For any other text it returns a sentence
 * saying what is wrong. `*.com` covers too much to be intended, and addresses of this machine or its network
 * are never reached.
 */
export function hostRule(text: string): HostRule | string {
  const below = text.startsWith("*.");
  const authority = authorityOf(below ? text.slice(2) : text);
  if (!authority)
    return `${JSON.stringify(text)} is not a host; write example.com, example.com:8443 or *.example.com`;
  const { host, port } = authority;
  if (below && (host.literal || !host.name.includes(".")))
    return `${text} covers too much; name the domain, like *.example.com`;
  if (host.literal ? isForbidden(host.name) : isLocalName(host))
    return `${text} lies on this machine or its local network, which commands never reach; leave it out`;
  return { name: host.name, below, port };
}

/** The rule that covers `host` at `port`, if there is one. */
export function ruleFor(rules: readonly HostRule[], host: HostName, port: number): HostRule | undefined {
  return rules.find(
    (rule) =>
      (rule.port === undefined ? isWebPort(port) : rule.port === port) &&
      (rule.below ? host.name.endsWith(`.${rule.name}`) : rule.name === host.name),
  );
}
