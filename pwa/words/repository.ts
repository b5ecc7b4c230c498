// Repositories: valid addresses, their names, the part of an address that may be stored, the latest clones, and words
// for a failed clone. Pure.
import type { SessionRecord } from "../storage/session-record.ts";

const tokenPart = /^(https?:\/\/)[^/]*@/;

/** The address without credentials: those are for one request and are never stored. */
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

/** The address of a repository in text that a person typed, pasted or shared; undefined if there is none. */
export function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (/\s/.test(trimmed)) return undefined;
  if (/^(github|gitlab|codeberg|bitbucket)\.(com|org)\/[\w.-]+\/[\w.-]+/.test(trimmed))
    return addressIn(`https://${trimmed}`);
  // The first two parts of the path of a repository's page name it.
  const page = /^(https:\/\/(?:github\.com|codeberg\.org)\/[\w.-]+\/[\w.-]+)(?:[/?#].*)?$/.exec(trimmed);
  if (page?.[1] !== undefined) return page[1];
  return /^((https?|ssh|git|file):\/\/[^/]+|file:\/\/\/|[\w.-]+@[\w.-]+:)\S+$/.test(trimmed)
    ? trimmed
    : undefined;
}

/** "github.com/acme/gateway": shows what a tap would fetch, host first. */
export function placeInWords(address: string): string {
  const scp = /^[^@/]+@([^:/]+):(.+)$/.exec(address);
  if (scp) return `${scp[1]}/${scp[2]}`;
  if (!URL.canParse(address)) return address;
  const { host, pathname, protocol } = new URL(address);
  return protocol === "file:" ? pathname : `${host}${pathname}`;
}

/** Messages of git, and what they mean for a person. The first that matches is used. */
const meanings: readonly [RegExp, string][] = [
  [
    /no space left on device|disk is full|disk_full/i,
    "The disk of your server is full. Nothing of the repository was left there; make room, then clone it again.",
  ],
  [
    /authentication failed|could not read (username|password)|HTTP Basic|returned error: 40[13]/i,
    "The host requires a login, or rejects that token. Write it into the address: https://USER:TOKEN@HOST/PATH. It is not kept, so every new clone needs it again.",
  ],
  [
    /repository .*(not found|does not exist)|returned error: 404/i,
    "The host knows no such repository, or hides it from strangers. Look at the address; a private one needs https://USER:TOKEN@HOST/PATH.",
  ],
  [
    /couldn't find remote ref|remote branch .* not found/i,
    "The repository has no branch or tag of that name.",
  ],
  [
    /could not resolve host|failed to connect|couldn't connect|connection (refused|timed out)|network is unreachable/i,
    "Your server cannot reach that host. Look at the address, and at the server's network.",
  ],
  [
    /permission denied \(publickey|host key verification/i,
    "The host does not accept your server's SSH key. Use an https address with a token.",
  ],
];

/** `message` is the server's answer, which is returned if nothing matches. */
export function cloneProblem(message: string): string {
  const limit = /may take (\d+ MiB) of disk/i.exec(message)?.[1];
  if (limit)
    return `The repository is larger than the ${limit} that a session may take on your server. None of it was left there. A server that is started with --disk-quota takes more.`;
  const known = meanings.find(([said]) => said.test(message));
  return known?.[1] ?? message.replace(/^source\.git: (.)/, (_, first: string) => first.toUpperCase());
}

const shownAtMost = 6;

export interface RecentRepository {
  git: string;
  ref: string | undefined;
}

/** `records` are ordered newest first. */
export function recentRepositories(records: readonly SessionRecord[]): RecentRepository[] {
  const found = new Map<string, RecentRepository>();
  for (const { git, ref } of records) {
    const key = `${git} ${ref ?? ""}`;
    if (git !== undefined && !found.has(key)) found.set(key, { git, ref });
  }
  return [...found.values()].slice(0, shownAtMost);
}
