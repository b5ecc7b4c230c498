// The settings for push notifications: the VAPID keys (RFC 8292), and the addresses that may be called.
import { HandrailError } from "../../shared/errors.ts";
import type { EnvVariables } from "../model/read-providers.ts";

export interface PushSettings {
  /** Unpadded base64url: the point (65 bytes), and the private number (32 bytes). */
  publicKey: string;
  privateKey: string;
  /** A mailto: or https: URL, because Apple refuses others. */
  subject: string;
  /** Origins that may be called, in addition to those of the public push services. */
  origins: readonly string[];
}

export interface NotifySettings {
  push?: PushSettings;
  /** A webhook that gets the same line, and the secret that signs it. */
  webhook?: { url: string; secret: string };
}

/** Throws `invalid_request` naming the variable and the remedy. */
export function notifySettings(env: EnvVariables): NotifySettings {
  const push = pushOf(env);
  const webhook = webhookOf(env);
  return { ...(push ? { push } : {}), ...(webhook ? { webhook } : {}) };
}

/** Secrets that neither a model nor a person may see. */
export function notifySecrets(env: EnvVariables): string[] {
  return [env.HANDRAIL_VAPID_PRIVATE, env.HANDRAIL_NOTIFY_SECRET].filter((secret) => secret !== undefined);
}

function pushOf(env: EnvVariables): PushSettings | undefined {
  const { HANDRAIL_VAPID_PUBLIC: publicKey, HANDRAIL_VAPID_PRIVATE: privateKey } = env;
  if (!publicKey && !privateKey) return undefined;
  if (!publicKey || !/^B[\w-]{86}$/.test(publicKey))
    throw wrong("HANDRAIL_VAPID_PUBLIC", "the public key as unpadded base64url, 87 characters");
  if (!privateKey || !/^[\w-]{43}$/.test(privateKey))
    throw wrong("HANDRAIL_VAPID_PRIVATE", "the private key as unpadded base64url, 43 characters");
  const subject = env.HANDRAIL_VAPID_SUBJECT || "";
  if (!/^mailto:[^@\s]+@[^@\s]+\.[^@\s]+$|^https:\/\/[^/\s]+\.[^/\s]+/.test(subject))
    throw wrong(
      "HANDRAIL_VAPID_SUBJECT",
      "how a push service reaches you: mailto:you@example.com or an https URL",
    );
  return { publicKey, privateKey, subject, origins: originsOf(env.HANDRAIL_PUSH_ORIGINS) };
}

function originsOf(text = ""): string[] {
  const listed = text.split(",").map((origin) => origin.trim());
  return listed.filter(Boolean).map((origin) => {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    const isLoopback = url && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
    if (!url || url.origin !== origin.replace(/\/$/, "") || !(url.protocol === "https:" || isLoopback))
      throw wrong("HANDRAIL_PUSH_ORIGINS", "https origins separated by commas");
    return url.origin;
  });
}

function webhookOf(env: EnvVariables): NotifySettings["webhook"] {
  const { HANDRAIL_NOTIFY_URL: url, HANDRAIL_TOKEN: token = "" } = env;
  if (!url) return undefined;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
    return { url, secret: env.HANDRAIL_NOTIFY_SECRET || token };
  throw wrong("HANDRAIL_NOTIFY_URL", "an http or https URL to post to");
}

function wrong(name: string, what: string): HandrailError {
  return new HandrailError("invalid_request", `${name}: write ${what}.`);
}
