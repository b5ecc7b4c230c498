// Addresses of repositories: what is one, how it is called, what of it may be kept. Pure.

const tokenPart = /^(https?:\/\/)[^/@]*@/;

/** Without credentials: those are for one request and are never stored. */
export function plainAddress(address: string): string {
  return address.trim().replace(tokenPart, "$1");
}

/** "acme/gateway" of `https://github.com/acme/gateway.git`. */
export function repositoryName(address: string): string {
  const path = plainAddress(address)
    .replace(/^[a-z]+:\/\/[^/]*\//, "")
    .replace(/^[^/:]*:/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return path.split("/").slice(-2).join("/") || address;
}

/** The address of a repository in what a person typed, pasted or shared; undefined where there is none. */
export function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (/\s/.test(trimmed)) return undefined;
  if (/^(github|gitlab|codeberg|bitbucket)\.(com|org)\/[\w.-]+\/[\w.-]+/.test(trimmed))
    return addressIn(`https://${trimmed}`);
  // A page of a repository names it by its first two parts.
  const page = /^(https:\/\/(?:github\.com|codeberg\.org)\/[\w.-]+\/[\w.-]+)(?:[/?#].*)?$/.exec(trimmed);
  if (page?.[1] !== undefined) return page[1];
  return /^((https?|ssh|git|file):\/\/[^/]+|file:\/\/\/|[\w.-]+@[\w.-]+:)\S+$/.test(trimmed)
    ? trimmed
    : undefined;
}

/** "github.com/acme/gateway" of an address: what a tap would fetch, host first. */
export function placeInWords(address: string): string {
  const scp = /^[^@/]+@([^:/]+):(.+)$/.exec(address);
  if (scp) return `${scp[1]}/${scp[2]}`;
  if (!URL.canParse(address)) return address;
  const { host, pathname, protocol } = new URL(address);
  return protocol === "file:" ? pathname : `${host}${pathname}`;
}
