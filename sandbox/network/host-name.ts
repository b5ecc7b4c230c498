// A host as the proxy compares it: one spelling for each, whatever it was written like. Resolves nothing.
import { isIP } from "node:net";

export interface HostName {
  /** Lower-case ASCII without a trailing dot; an IPv6 address without brackets. */
  name: string;
  /** true = an address, false = a name. */
  literal: boolean;
}

/** What separates the parts of a URL, and what no host holds: such text is not guessed at. */
const separators = /[\s\p{Cc}\p{Cf}/\\?#@%:[\]<>^|"'`{}]/u;
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * The host that `text` names: a name, or an address in any spelling that a URL may have (decimal, octal, hexadecimal,
 * IPv6 in brackets). undefined if it is neither, or where it holds anything that could be read as more than a host.
 */
export function hostOf(text: string): HostName | undefined {
  const bracketed = /^\[([0-9a-f:.]+)\]$/i.exec(text)?.[1];
  if (bracketed === undefined && separators.test(text)) return undefined;
  // The URL parser knows all spellings of addresses, and makes punycode of other scripts.
  const url = `http://${text}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(name) !== 0) return { name, literal: true };
  if (name.length > 253) return undefined;
  return name.split(".").every((part) => label.test(part)) ? { name, literal: false } : undefined;
}

/** Names of this machine and its network, which no public resolver knows: RFC 6761, 6762, 8375, and .internal of clouds. */
const localName = /(^|\.)(localhost|local|internal|home\.arpa)$|^[^.]+$/;

/** For a name; an address is judged by itself. */
export function isLocalName({ name }: HostName): boolean {
  return localName.test(name);
}

export interface Authority {
  host: HostName;
  /** undefined = none was given. */
  port: number | undefined;
}

/** `host`, `host:port`, `[address]:port`; undefined if it is anything else. */
export function authorityOf(text: string): Authority | undefined {
  const [, name, digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = name === undefined ? undefined : hostOf(name);
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  return { host, port };
}

/** Where a request wants to go. */
export interface HostAndPort {
  host: HostName;
  port: number;
}

/** How a host and port are shown and allowed: the ports of the web are left out. */
export function shownHost({ host: { name }, port }: HostAndPort): string {
  const host = name.includes(":") ? `[${name}]` : name;
  return isWebPort(port) ? host : `${host}:${port}`;
}

export function isWebPort(port: number): boolean {
  return port === 443 || port === 80;
}
