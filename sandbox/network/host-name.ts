// A host in the form in which the proxy compares it: every spelling becomes the same name. Resolves nothing.
import { isIP } from "node:net";

export interface HostName {
  /** Lower-case ASCII without a trailing dot; an IPv6 address has no brackets. */
  name: string;
  /** true = an address, false = a name. */
  literal: boolean;
}

/**
 * Characters that separate the parts of a URL and that no host contains. Text with one of them is refused,
 * not guessed at.
 */
const separators = /[\s\p{Cc}\p{Cf}/\\?#@%:[\]<>^|"'`{}]/u;
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * The host that `text` names: a name, or an address in any spelling that a URL may have (decimal, octal,
 * hexadecimal, IPv6 in brackets). undefined if it is neither, or contains anything that could be read as more
 * than a host.
 */
export function hostOf(text: string): HostName | undefined {
  const bracketed = /^\[([0-9a-f:.]+)\]$/i.exec(text)?.[1];
  if (bracketed === undefined && separators.test(text)) return undefined;
  // The URL parser knows all spellings of addresses, and turns other scripts into punycode.
  const url = `http://${text}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(name) !== 0) return { name, literal: true };
  if (name.length > 253) return undefined;
  return name.split(".").every((part) => label.test(part)) ? { name, literal: false } : undefined;
}

/**
 * Names of this machine and its network, which no public resolver knows: RFC 6761, 6762, 8375, and .internal
 * of clouds.
 */
const localName = /(^|\.)(localhost|local|internal|home\.arpa)$|^[^.]+$/;

/** For names only; addresses are checked by `isForbidden`. */
export function isLocalName({ name }: HostName): boolean {
  return localName.test(name);
}

export interface Authority {
  host: HostName;
  /** undefined = no port was given. */
  port: number | undefined;
}

/** Parses `host`, `host:port` or `[address]:port`; undefined for anything else. */
export function authorityOf(text: string): Authority | undefined {
  const [, name, digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = name === undefined ? undefined : hostOf(name);
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  return { host, port };
}

/** The destination of a request. */
export interface HostAndPort {
  host: HostName;
  port: number;
}

/** A host and port as they are shown and allowed. The web's ports are left out. */
export function shownHost({ host: { name }, port }: HostAndPort): string {
  const host = name.includes(":") ? `[${name}]` : name;
  return isWebPort(port) ? host : `${host}:${port}`;
}

export function isWebPort(port: number): boolean {
  return port === 443 || port === 80;
}
