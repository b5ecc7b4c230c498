// The keys for this server's push notifications (RFC 8292): created once and stored in the state folder. Browser
// subscriptions are bound to them.

import { execFileSync } from "node:child_process";
import { createECDH } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Env } from "./env.ts";

const VapidPair = z.object({ publicKey: z.string(), privateKey: z.string() });
type VapidPair = z.infer<typeof VapidPair>;

/**
 * The variables for the edge. {} if the environment already has keys, or if there is no contact address for push
 * services (`HANDRAIL_VAPID_SUBJECT`, the public https address, git's `user.email`).
 */
export function vapidVariables(
  env: Env,
  stateDir: string,
  publicUrl: string | undefined,
): Record<string, string> {
  if (env.HANDRAIL_VAPID_PUBLIC || env.HANDRAIL_VAPID_PRIVATE) return {};
  const subject = vapidSubject(env, publicUrl);
  return subject === undefined ? {} : asVariables(keptPair(join(stateDir, "vapid.json")), subject);
}

export function asVariables({ publicKey, privateKey }: VapidPair, subject: string): Record<string, string> {
  return {
    HANDRAIL_VAPID_PUBLIC: publicKey,
    HANDRAIL_VAPID_PRIVATE: privateKey,
    HANDRAIL_VAPID_SUBJECT: subject,
  };
}

/** Unpadded base64url: the uncompressed point, and the private number of 32 bytes. */
export function makeVapidPair(): VapidPair {
  const keys = createECDH("prime256v1");
  keys.generateKeys();
  // The number comes without leading zeros, so it is padded to 32 bytes.
  const privateKey = Buffer.concat([Buffer.alloc(32), keys.getPrivateKey()]).subarray(-32);
  return { publicKey: keys.getPublicKey("base64url"), privateKey: privateKey.toString("base64url") };
}

export function vapidSubject(env: Env, publicUrl: string | undefined): string | undefined {
  if (env.HANDRAIL_VAPID_SUBJECT) return env.HANDRAIL_VAPID_SUBJECT;
  if (publicUrl?.startsWith("https://")) return publicUrl;
  const email = gitEmail();
  return email && /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email) ? `mailto:${email}` : undefined;
}

function gitEmail(): string | undefined {
  try {
    return execFileSync("git", ["config", "--global", "--get", "user.email"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

function keptPair(file: string): VapidPair {
  if (existsSync(file)) {
    const kept = z.safeParse(VapidPair, JSON.parse(readFileSync(file, "utf8")));
    if (kept.success) return kept.data;
  }
  const made = makeVapidPair();
  writeFileSync(file, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  return made;
}
