// Decides which machine an argument names, as far as its text shows.

/** Whether a URL or `host:port` names this machine and nothing else. Variables in its path and port are allowed. */
export function isLoopbackUrl(address: string): boolean {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  // A variable as the port or after the first slash does not change the host.
  const plain = text.replace(/^([a-z0-9+.-]+:\/\/[a-z0-9.[\]:]*?):\$(\w+|\{\w+\})(?=\/|$)/i, "$1:1");
  if (/[\\{}*[\]]/.test(plain.replace(/\/\/([^/@]*@)?\[::1\]/, "//"))) return false;
  const authority = /^[a-z0-9+.-]+:\/\/[^/?#]*/i.exec(plain)?.[0] ?? plain;
  if (/[$`]/.test(authority)) return false;
  try {
    const host = new URL(authority.replace(/^[a-z0-9+.-]+:/i, "http:")).hostname;
    return (
      host === "localhost" ||
      host.endsWith(".localhost") ||
      /^127(\.\d+){3}$/.test(host) ||
      host === "[::1]" ||
      host === "0.0.0.0"
    );
  } catch {
    return /^::1$/.test(address);
  }
}

const url = /(?:^|[=,:'"(\s@<[])([a-z][a-z0-9+.-]*:\/\/[^\s'"<>,)\]]*)/gi;
/** Top-level domains that are hardly ever file extensions. */
const host =
  /^(?:[\w.-]+@)?((?:[a-z0-9-]+\.)+(?:com|net|org|edu|gov|mil|info|biz|onion|example|invalid|test|internal|local|lan|dev|cloud|xyz)|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:\/\S*)?$/i;
const copyTarget = /^([\w.-]+@[\w.-]+|[a-z0-9-]+(?:\.[a-z0-9-]+)+):(?!\d+$)(?!\/\/)\S*$/i;
/** Schemes that name no machine. */
const local = /^(file|data|unix|git-?stash|vscode|chrome|about|package|node|app|jar|sqlite):/i;

/** The first address in `text` that is not this machine's; undefined if there is none. */
export function otherHost(text: string, bareNames = true): string | undefined {
  for (const [, found = ""] of text.matchAll(url)) {
    if (!local.test(found) && !isLoopbackUrl(found)) return nameOf(found);
  }
  if (!bareNames) return undefined;
  const bare = host.exec(text)?.[1] ?? copyTarget.exec(text)?.[1];
  return bare === undefined || isLoopbackUrl(bare) ? undefined : bare;
}

/** The host of a URL, as written. */
export function nameOf(address: string): string {
  const text = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const authority = text.split(/[/?#\s]/, 1)[0] ?? text;
  return authority.slice(authority.lastIndexOf("@") + 1) || address;
}
