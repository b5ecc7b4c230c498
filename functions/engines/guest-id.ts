// The id of a sandbox with a guest, which consists of the engine and the guest's name (clients need not know
// that), and the guest's token.
import { base64url } from "../base64url.ts";
import { type EngineName, engineNames } from "./engine.ts";

/** The sandbox server's own ids are random, so they do not have this form except by chance. */
const guestId = /^([a-z0-9]+)--([A-Za-z0-9_-]{1,80})$/;

export interface GuestPlace {
  engine: EngineName;
  guest: string;
}

export function sandboxIdOf({ engine, guest }: GuestPlace): string {
  return `${engine}--${guest}`;
}

/** undefined = a sandbox of the server that SANDBOX_URL names. */
export function guestPlaceOf(sandboxId: string): GuestPlace | undefined {
  const [, name, guest] = guestId.exec(sandboxId) ?? [];
  const engine = engineNames.find((known) => known === name && known !== "here");
  return engine && guest ? { engine, guest } : undefined;
}

/**
 * HMAC-SHA-256 of the id in base64url without padding: 43 characters. It can be derived again from the secret
 * at any time.
 */
export async function guestToken(secret: string, sandboxId: string): Promise<string> {
  return base64url(await hmac(secret, `sandbox ${sandboxId}`));
}

/**
 * The guest's name for a request. The same `key` gives the same name, so that a repeated request makes no
 * second guest.
 */
export async function guestNameOf(secret: string, key: string): Promise<string> {
  return inLetters(await hmac(secret, `name ${key}`), 20);
}

/** Twelve characters of [a-z0-9] that mark the guests of this secret. */
export async function ownerOf(secret: string): Promise<string> {
  return inLetters(await hmac(secret, "owner"), 12);
}

/**
 * Twelve characters of [a-z0-9] that mark the guests of one person. `subject`: an identity proxy's name for
 * the person.
 */
export async function personOf(secret: string, subject: string): Promise<string> {
  return inLetters(await hmac(secret, `person ${subject}`), 12);
}

/** Letters and digits ([a-z0-9]), one for each byte. */
function inLetters(bytes: Uint8Array, count: number): string {
  return Array.from(bytes.subarray(0, count), (byte) => (byte % 36).toString(36)).join("");
}

async function hmac(secret: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}
