// The operator's settings for forges: which ones exist, and the server's own tokens, each for one host.

export interface ForgeSettings {
  /** HANDRAIL_FORGES: `KIND=ORIGIN`, separated by spaces or commas. */
  hosts?: string | undefined;
  /** HANDRAIL_GITHUB_CLIENT_ID: of an OAuth or GitHub App with the device flow, at the first GitHub of HANDRAIL_FORGES, else github.com. */
  githubClient?: string | undefined;
  /** HANDRAIL_FORGE_TOKENS: `HOST=TOKEN` or `HOST=USER:TOKEN`, separated by spaces or commas. */
  tokens?: string | undefined;
}

/** In git's form, `USER:TOKEN`; "" = none. `host` must match completely, including its port. */
export function serverToken({ tokens = "" }: ForgeSettings, host: string): string {
  for (const entry of tokens.split(/[\s,]+/)) {
    const [, at, token = ""] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    if (at === host) return /.:/.test(token) ? token : `x-access-token:${token}`;
  }
  return "";
}

/** This machine's own hosts, the only ones to which the server's token may go over http. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Like `serverToken`, for a repository that git reaches at that address. */
export function tokenForUrl(settings: ForgeSettings, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && ownMachine.test(url.hostname));
  return url && isSafe && url.username === "" ? serverToken(settings, url.host) : "";
}

/** The address of a clone, with the server's token for its host unless it already has a login. */
export function withServerToken(settings: ForgeSettings, address: string): string {
  const [, user = "", secret = ""] = /^([^:]*):([\s\S]*)$/.exec(tokenForUrl(settings, address)) ?? [];
  if (secret === "") return address;
  // Do not search the text: the host that the parser finds need not follow the first "://".
  const url = new URL(address);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(secret);
  return url.href;
}
