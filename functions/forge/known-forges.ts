// The known forges: the public ones, and those of HANDRAIL_FORGES. A token is sent to no other address.
import { HandrailError } from "../../shared/errors.ts";
import { ForgeKind } from "../../shared/forge.ts";
import type { Forge, ForgePlace } from "./forge.ts";
import { forgeRefusal } from "./forge-error.ts";
import { ForgeHttp } from "./forge-http.ts";
import { type ForgeSettings, serverToken } from "./forge-settings.ts";
import { giteaForge } from "./gitea.ts";
import { githubForge } from "./github.ts";
import { gitlabForge } from "./gitlab.ts";

export interface ForgeDeps {
  fetch: typeof fetch;
  now(): number;
  forges: ForgeSettings;
}

const publicForges: readonly ForgePlace[] = [
  { kind: "github", host: "github.com", origin: "https://github.com" },
  { kind: "gitlab", host: "gitlab.com", origin: "https://gitlab.com" },
  { kind: "gitea", host: "codeberg.org", origin: "https://codeberg.org" },
  { kind: "gitea", host: "gitea.com", origin: "https://gitea.com" },
];

/** Throws `invalid_request` naming the variable and the remedy. */
export function knownForges({ hosts = "" }: ForgeSettings): ForgePlace[] {
  const own = hosts
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(placeOf);
  const taken = new Set(own.map(({ host }) => host));
  return [...own, ...publicForges.filter(({ host }) => !taken.has(host))];
}

function placeOf(text: string): ForgePlace {
  const [, kind, origin = ""] = /^(\w+)=(.+)$/.exec(text) ?? [];
  const known = ForgeKind.def.values.find((one) => one === kind);
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (known && url && /^https?:$/.test(url.protocol) && url.origin === origin.replace(/\/$/, ""))
    return { kind: known, host: url.host, origin: url.origin };
  throw new HandrailError(
    "invalid_request",
    `HANDRAIL_FORGES: ${JSON.stringify(text)} is none. Write a kind and an origin, like gitea=https://git.example.com; kinds are github, gitlab and gitea.`,
  );
}

/**
 * `host`: as a remote names it; in some remotes the port is the one for ssh. Throws `unsupported` if no known forge
 * has that host.
 */
export function forgeAt(settings: ForgeSettings, host: string): ForgePlace {
  const known = knownForges(settings);
  const name = host.replace(/:\d+$/, "");
  const place =
    known.find((one) => one.host === host) ??
    known.find((one) => one.host === name) ??
    known.find((one) => new URL(one.origin).hostname === name && one.host !== name);
  if (place) return place;
  throw new HandrailError(
    "unsupported",
    `${host} is not a forge that this server knows. Its owner can name it: HANDRAIL_FORGES=gitea=https://${host} (or github, gitlab).`,
    { retryable: false },
  );
}

/**
 * `token`: in git's form: alone, or after a user's name and a colon; by default the server's own. Throws with the
 * reason `token` if there is none.
 */
export function connect(
  { fetch, now, forges }: ForgeDeps,
  { kind, host, origin }: ForgePlace,
  token: string | undefined,
  signal: AbortSignal,
): Forge {
  const login = token || serverToken(forges, host);
  const secret = login.slice(login.indexOf(":") + 1);
  if (!secret) throw forgeRefusal("token", `Give a token for ${host} first.`);
  const http = (api: string, headers: Record<string, string>) =>
    new ForgeHttp({ fetch, now, host, api, headers, signal });
  switch (kind) {
    case "github": {
      const isPublic = origin === "https://github.com";
      // https://docs.github.com/enterprise-server/rest: both APIs are on its own host, below /api.
      const api = isPublic ? "https://api.github.com" : `${origin}/api/v3`;
      const headers = {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${secret}`,
        "x-github-api-version": "2022-11-28",
      };
      return githubForge(http(api, headers), isPublic ? `${api}/graphql` : `${origin}/api/graphql`);
    }
    case "gitlab": {
      return gitlabForge(http(`${origin}/api/v4`, { authorization: `Bearer ${secret}` }));
    }
    case "gitea": {
      return giteaForge(http(`${origin}/api/v1`, { authorization: `token ${secret}` }));
    }
  }
}

/** Whether a person can sign in there with a device code: a client id belongs to one forge. */
export function hasDevice({ host }: ForgePlace, settings: ForgeSettings): boolean {
  const first = knownForges(settings).find(({ kind }) => kind === "github");
  return Boolean(settings.githubClient) && first?.host === host;
}
