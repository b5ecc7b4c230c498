// Finds armoured private keys (PEM, OpenSSH, PGP, PuTTY), also with `\n` in place of line ends, in strings that are
// concatenated, and without their end. The mark replaces the line that begins the key; the line that ends it stays.
import { endOf, type SecretRule } from "./rule.ts";

/** The longest key in use, RSA with 16,384 bits, takes 13 KB. */
export const maxKeyChars = 32_768;
/** How much text after a possible end of a key is needed to decide whether the key continues: more than a line. */
const nextLineChars = 256;

const header =
  /(?:-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|Private-Lines: \d{1,4})/y;
const openHeader = /(?:-----BEGIN[ A-Z0-9_-]{0,80}|---- BEGIN[ A-Z0-9-]{0,40})/y;

/**
 * What may be between two lines of a key: a line end, real or written as `\n`, quotes, diff marks, line numbers, the
 * file that grep names and what `git blame` writes before a line.
 */
export const gap =
  /(?:\\{1,4}[nrt]|[\s"'`,;+\\>|*#]){0,60}(?:(?<=[\snrt])(?:-(?!-)[ \t]{0,4}|\d{1,5}[:|\t-][ \t]{0,16}|[\w./@-]{1,120}(?::\d{1,5}:|-\d{1,5}-|:(?=[A-Za-z0-9+/]{16}))|\^?[0-9a-f]{7,40} [^\r\n()]{0,80}\([^\r\n()]{1,100}\) ))?/y;
const piece = /[A-Za-z0-9+/=]+/y;
/** Header fields such as `Proc-Type: 4,ENCRYPTED` and `Version: GnuPG v2`. */
const field = /[A-Z][A-Za-z-]{2,20}: [^\r\n\\]{0,120}/y;
const keyEnd = /-----END|---- END|Private-MAC/y;

/**
 * A full line of a key is longer than this, except in a key with short lines or one whose first line was cut; only the
 * last line may be shorter.
 */
const fullLineChars = 40;
const minFirstChars = 16;

export const keyBlock: SecretRule = (text, at, ended) => {
  const body = endOf(header, text, at);
  if (body === at)
    return !ended && endOf(openHeader, text, at) === text.length ? { holdFrom: at } : undefined;
  return keyFrom(text, at, body, ended);
};

/**
 * How keys without a header begin in base64: PKCS#8 and PKCS#1 of the usual sizes (RFC 5958, RFC 8017), an elliptic
 * curve key in PKCS#8, and OpenSSH's own format.
 */
export const bareKeyBegins = [
  "MIIEvQIBADAN",
  "MIIEvAIBADAN",
  "MIIEvgIBADAN",
  "MIIEuwIBADAN",
  "MIIG/QIBADAN",
  "MIIG/gIBADAN",
  "MIIG/wIBADAN",
  "MIIJQQIBADAN",
  "MIIJQgIBADAN",
  "MIIJQwIBADAN",
  "MIIJRAIBADAN",
  "MIIEogIBAAKC",
  "MIIEowIBAAKC",
  "MIIEpAIBAAKC",
  "MIIEpQIBAAKC",
  "MIIG4wIBAAKC",
  "MIIG5AIBAAKC",
  "MIIJKAIBAAKC",
  "MIIJKQIBAAKC",
  "MIIJKgIBAAKC",
  "MIIJKwIBAAKC",
  "MIGHAgEAMBMG",
  "b3BlbnNzaC1rZXktdjEA",
] as const;

/** A key without its BEGIN line. Its first line of base64 must have full length. */
export const bareKey: SecretRule = (text, at, ended) => {
  const lineEnd = endOf(piece, text, at);
  if (lineEnd - at < fullLineChars && (ended || lineEnd < text.length)) return undefined;
  return keyFrom(text, at, at, ended);
};

function keyFrom(text: string, at: number, body: number, ended: boolean): ReturnType<SecretRule> {
  const limit = Math.min(text.length, at + maxKeyChars);
  let to = body;
  /** How long a line before the last one is at least; 0 before the first line. */
  let lineChars = 0;
  for (;;) {
    const from = endOf(gap, text, to);
    if (lineChars === 0 && endOf(field, text, from) > from) {
      to = endOf(field, text, from);
      continue;
    }
    const next = Math.min(endOf(piece, text, from), limit);
    const chars = next - from;
    if (chars <= 0 || !isPart(text, next, chars, lineChars === 0)) break;
    to = next;
    if (chars < lineChars) break;
    lineChars ||= Math.min(chars, fullLineChars);
  }
  if (!ended && text.length - to < nextLineChars && !isEnd(text, to)) return { holdFrom: at };
  return lineChars === 0 ? undefined : { from: at, to, kind: "private key" };
}

/** Whether a piece can be a line of a key. */
function isPart(text: string, next: number, chars: number, isFirst: boolean): boolean {
  if (isFirst) return chars >= minFirstChars;
  if (text[next - 1] === "=" || chars >= minFirstChars) return true;
  return isEnd(text, next) || endOf(/\s*/y, text, next) === text.length;
}

function isEnd(text: string, at: number): boolean {
  const next = endOf(gap, text, at);
  return endOf(keyEnd, text, next) > next;
}
