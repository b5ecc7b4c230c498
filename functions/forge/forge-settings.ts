// What the server's owner set about forges: which there are, and tokens of the server's own, each for one host.

export interface ForgeSettings {
  /** HANDRAIL_FORGES: `KIND=ORIGIN`, separated by spaces or commas. */
  hosts?: string | undefined;
  /** HANDRAIL_GITHUB_CLIENT_ID: of an OAuth or GitHub App with the device flow, at the first GitHub of HANDRAIL_FORGES, else github.com. */
  githubClient?: string | undefined;
  /** HANDRAIL_FORGE_TOKENS: `HOST=TOKEN` or `HOST=USER:TOKEN`, separated by spaces or commas. */
  tokens?: string | undefined;
}

/** As git takes it, `USER:TOKEN`; "" = none. `host` is compared whole, with its port. */
export function serverToken({ tokens = "" }: ForgeSettings, host: string): string {
  for (const entry of tokens.split(/[\s,]+/)) {
    const [, at, token = ""] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    if (at === host) return /.:/.test(token) ? token : `x-access-token:${token}`;
  }
  return "";
}

/** Where the server's token for `url` may go: over https, or to this machine. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** As `serverToken`, for what git reaches at that address. */
export function tokenForUrl(settings: ForgeSettings, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && ownMachine.test(url.hostname));
  return url && isSafe && url.username === "" ? serverToken(settings, url.host) : "";
}

/** The address of a clone with the server's token for its host, if it has no login of its own. */
export function withServerToken(settings: ForgeSettings, address: string): string {
  const [, user = "", secret = ""] = /^([^:]*):([\s\S]*)$/.exec(tokenForUrl(settings, address)) ?? [];
  if (secret === "") return address;
  // Not by its text: what the parser takes for the host need not follow the first "://".
  const url = new URL(address);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(secret);
  return url.href;
}
