// Sends the line of a notification to a webhook (ntfy, a chat, the person's own server), for phones without
// push.
import type { News } from "../../shared/push.ts";
import * as limits from "../limits.ts";
import type { NotifySettings } from "./push-settings.ts";
import type { PushDeps } from "./send-push.ts";

/**
 * Posts JSON with the fields of News and `text`, which chats show. A host that begins with "ntfy" gets the line itself,
 * with the title as a header (https://docs.ntfy.sh/publish/). `X-Handrail-Signature` is `sha256=` and the hexadecimal
 * HMAC of the body. Never throws; false if it was not accepted.
 */
export async function sendWebhook(
  { fetch }: PushDeps,
  { url, secret }: NonNullable<NotifySettings["webhook"]>,
  news: News,
): Promise<boolean> {
  const isNtfy = new URL(url).hostname.startsWith("ntfy");
  const body = isNtfy ? news.line : JSON.stringify({ ...news, text: `${news.title}: ${news.line}` });
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(limits.pushMs),
      body,
      headers: {
        "content-type": isNtfy ? "text/plain; charset=utf-8" : "application/json",
        "x-handrail-signature": `sha256=${await signed(secret, body)}`,
        ...(isNtfy ? { title: encodedWord(news.title) } : {}),
      },
    });
    await response.body?.cancel().catch(() => undefined);
    return response.ok;
  } catch {
    return false;
  }
}

async function signed(secret: string, body: string): Promise<string> {
  const text = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(body)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An encoded word (RFC 2047), which ntfy accepts: a header can contain only ASCII. */
function encodedWord(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return `=?UTF-8?B?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}
