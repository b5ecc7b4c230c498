// Decides whether the text after a name such as `API_KEY=` is a secret or a placeholder, a variable, a word.

/** Matches a value that a program looks up or that a person has to fill in. */
const reference =
  /\$[{(A-Za-z_]|\{\{|\}\}|<[A-Za-z]|%[({]|%[A-Z_]{2,}%|#\{|^[({]|\[redacted|\*{3}|\.{3}|…|^!\w+(?::|$)|^@\w+@$|^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*(?:\(|\[)/;

const placeholder =
  /^(?:.*[^a-z])?(?:your|my|an?|the|example|sample|placeholder|changeme|change|replace|replaceme|insert|enter|dummy|fake|mock|todo|redacted|hidden|masked|secret|unset|foo|foobar|bar|baz|qux|none|null|nil|undefined|true|false|yes|no|string|str|text|bool|boolean|int|number|any|object|test|tests|testing|default|required|optional|here|pass|passwd|password|passphrase|pwd|pw|token|key|apikey|auth|value|user|username|admin|root|postgres|mysql|guest|demo|invalid|wrong|correct|old|new|current|confirm|bearer|basic|xx+)(?:[^a-z].*)?$/i;

/** Entropy of `value` in bits per character, computed from how often each character occurs. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Whether at least half of `value` consists of consecutive characters, as in `abc`, `123` or `987`. */
function isSequence(value: string): boolean {
  let steps = 0;
  for (let at = 1; at < value.length; at++)
    if (Math.abs(value.charCodeAt(at) - value.charCodeAt(at - 1)) <= 1) steps += 1;
  return steps * 2 >= value.length;
}

/**
 * Whether `value` consists of words, possibly followed by numbers and joined by punctuation: a name rather than a
 * secret.
 */
function isWords(value: string): boolean {
  return value.split(/[^A-Za-z0-9]+/).every((part) => /^(?:[A-Za-z]*\d{0,4}|v?\d+[a-z]?)$/.test(part));
}

/** Whether only a key generator can have produced `value`. */
export function looksRandom(value: string, minChars: number): boolean {
  if (value.length < minChars || isWords(value) || isSequence(value) || reference.test(value)) return false;
  return (
    entropyOf(value) >= (/^[\da-fA-F-]+$/.test(value) ? 2.8 : Math.min(3.3, Math.log2(value.length) - 0.7))
  );
}

/** Whether `value` can be a password: it is not a lookup, a placeholder, or a word for password. */
export function isOwnWord(value: string, minChars: number): boolean {
  if (value.length < minChars || reference.test(value) || /^(.)\1*$/.test(value)) return false;
  return !isPlaceholder(value);
}

function isPlaceholder(value: string): boolean {
  return isWords(value) && placeholder.test(value.replace(/(?<=[a-z])(?=[A-Z])/g, "-"));
}

/**
 * Whether `value` has letters and also a digit or punctuation of ASCII: `hunter2`, but not `letmein`, `oublié`, a list in
 * Chinese, or Chinese with a part in brackets.
 */
export function isMixed(value: string): boolean {
  const sign = /\p{Lo}/u.test(value) ? /\d/ : /[!-@[-`{-~]/;
  return /\p{L}/u.test(value) && sign.test(value) && !/^\p{L}+(?:[-_. ]\p{L}+)+$/u.test(value);
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Whether `value` is `user:password` in base64. */
export function isEncodedLogin(value: string): boolean {
  let [bits, buffer, hasColon] = [0, 0, false];
  for (const char of value.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/")) {
    // A character outside base64 sets every bit, so that no printable character follows.
    buffer = ((buffer << 6) | base64.indexOf(char)) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const code = (buffer >> bits) & 0xff;
    if (code < 0x20 || code > 0x7e) return false;
    hasColon ||= code === 0x3a;
  }
  return hasColon;
}
