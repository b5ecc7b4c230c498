// Decides which addresses of MCP servers may be called, and builds the header with their token. The person names the
// address, never the model.
import { meaningsOf } from "./embedded-address.ts";
import { McpFailure } from "./failure.ts";

/** Names of this machine, to which plain http is allowed. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** Other spellings that lead to this machine: 0.0.0.0, also within IPv6 (mapped, translated, by NAT64). */
const alsoLoopback = /^(?:(?:.+\.)?localhost\.?|0\.0\.0\.0|::1?|::ffff:(?:0:)?0:0|64:ff9b::)$/;

/**
 * Addresses at which clouds give out the machine's credentials: link-local addresses, those of Alibaba, Oracle, Azure,
 * Amazon and Google, and names.
 */
const metadata =
  /^(?:169\.254\.|100\.100\.100\.200$|192\.0\.0\.192$|168\.63\.129\.16$|fe[89ab][0-9a-f]:|fd00:ec2:|fd20:ce::254$|instance-data(?:\.ec2\.internal)?\.?$|metadata(?:\.google\.internal|\.goog)?\.?$)/i;

/**
 * Allows https anywhere, and http only to this machine. `hosted` means that the edge runs on a platform, where loopback
 * is not the person's machine. Throws McpFailure in words.
 */
export function checkedAddress(text: string, hosted: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new McpFailure("Its address is no URL; write it like https://example.com/mcp");
  if (url.username || url.password)
    throw new McpFailure("The address has a login in it: give a token instead.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const meanings = meaningsOf(host);
  if (meanings.some((one) => metadata.test(one)))
    throw new McpFailure(`${url.hostname} is an address of the machine's own network and is never called.`);
  const own = loopback.test(url.hostname);
  if (hosted && (alsoLoopback.test(host) || meanings.some((one) => /^127\./.test(one))))
    throw new McpFailure(
      `${url.hostname}: this edge is hosted and reaches no machine of yours by that name.`,
    );
  if (url.protocol === "https:" || (url.protocol === "http:" && own)) return url;
  throw new McpFailure(
    url.protocol === "http:"
      ? `http: would send your token and its answers unencrypted: use https, or http on the server's own machine.`
      : `${url.protocol} is not spoken; use https.`,
  );
}

/** `token` is a bearer token, with or without that word, or a whole `Name: value`. */
export function headerOf(token: string): [name: string, value: string] {
  const [, name, value] = /^([A-Za-z][A-Za-z0-9-]*):\s*(\S.*)$/.exec(token) ?? [];
  return name !== undefined && value !== undefined
    ? [name, value]
    : ["authorization", `Bearer ${token.replace(/^\s*bearer\s+/i, "").trim()}`];
}

/** The secrets of a header, which no text may contain: for `Authorization` the value with its scheme and without it. */
export function secretsOf([name, value]: readonly [name: string, value: string]): string[] {
  const bare = value.replace(/^[A-Za-z][\w-]*\s+/, "");
  return bare === value || !/^authorization$/i.test(name) ? [value] : [value, bare];
}
