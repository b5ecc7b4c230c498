// GitHub sign-in by device code (RFC 8628) through the edge, because GitHub's endpoints send no CORS headers.
// https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow
import * as z from "zod/mini";
import type { DeviceCode, DeviceToken } from "../../shared/forge.ts";
import { forgeRefusal } from "./forge-error.ts";
import { ForgeHttp } from "./forge-http.ts";
import { type ForgeDeps, forgeAt, hasDevice } from "./known-forges.ts";

/** A GitHub App has its own permissions and ignores these. */
const scope = "repo workflow";
const grant = "urn:ietf:params:oauth:grant-type:device_code";

const Code = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.number(),
  interval: z.number(),
});
const TokenAnswer = z.object({
  access_token: z.optional(z.string()),
  error: z.optional(z.string()),
  interval: z.optional(z.number()),
});

export async function deviceCode(deps: ForgeDeps, host: string, signal: AbortSignal): Promise<DeviceCode> {
  const { http, client } = at(deps, host, signal);
  const body = { client_id: client, scope };
  const code = await http.json(z.union([Code, TokenAnswer]), "/login/device/code", { method: "POST", body });
  if (!("device_code" in code))
    throw forgeRefusal(
      "other",
      `${host} gives no codes to this app: ${code.error}. Look at HANDRAIL_GITHUB_CLIENT_ID.`,
    );
  // Opened in a browser, so it must not name any other site.
  if (new URL(code.verification_uri).origin !== forgeAt(deps.forges, host).origin)
    throw forgeRefusal("redirect", `${host} sends elsewhere to sign in.`);
  return {
    deviceCode: code.device_code,
    userCode: code.user_code,
    url: code.verification_uri,
    interval: code.interval,
    expiresIn: code.expires_in,
  };
}

export async function deviceToken(
  deps: ForgeDeps,
  host: string,
  code: string,
  signal: AbortSignal,
): Promise<DeviceToken> {
  const { http, client } = at(deps, host, signal);
  const body = { client_id: client, device_code: code, grant_type: grant };
  const answer = await http.json(TokenAnswer, "/login/oauth/access_token", { method: "POST", body });
  const { access_token: token = null, error, interval = 5 } = answer;
  if (token !== null || error === "authorization_pending" || error === "slow_down")
    return { token, interval };
  const words: Record<string, string> = {
    expired_token: "The code has expired. Begin again.",
    access_denied: "Signing in was refused there.",
  };
  throw forgeRefusal("token", words[error ?? ""] ?? `${host} did not sign you in: ${error}.`);
}

function at(deps: ForgeDeps, host: string, signal: AbortSignal): { http: ForgeHttp; client: string } {
  const place = forgeAt(deps.forges, host);
  const client = deps.forges.githubClient;
  if (!client || !hasDevice(place, deps.forges))
    throw forgeRefusal("unsupported", `Nobody can sign in at ${host} by a code here. Give a token instead.`);
  const { fetch, now } = deps;
  return { http: new ForgeHttp({ fetch, now, host, api: place.origin, headers: {}, signal }), client };
}
