// Finds the secrets of MCP servers: their tokens, in every form in which a server may return them, and keys within an
// address or a command. Pure.
import { looksRandom } from "../../shared/redact/judge-value.ts";
import { createRedactor } from "../../shared/redact/redactor.ts";

/** Replaces secrets of one server, our own, and those of known forms by marks. */
export type Redact = (text: string) => string;

/** `values` are the secrets of the server. */
export function redactOf(secrets: readonly string[], values: readonly string[]): Redact {
  return createRedactor([...secrets, ...values.flatMap(spellingsOf)]).redact;
}

/** `value` as it is, and as it may be written in JSON, a URL, base64 or hexadecimal digits. */
export function spellingsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const url = encodeURIComponent(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const lowerUrl = url.replace(/%../g, (sign) => sign.toLowerCase());
  return [
    ...new Set([
      ...[value, inJson(value), inJson(inJson(value)), url, lowerUrl, hex, hex.toUpperCase()],
      ...[0, 1, 2].flatMap((offset) => inBase64(bytes, offset)),
    ]),
  ];
}

/** As it is written in a JSON string. */
export function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** In both base64 alphabets, after `offset` other bytes (modulo 3): only the digits that depend on `bytes` alone. */
function inBase64(bytes: Uint8Array, offset: number): string[] {
  const whole = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes)).replace(/=+$/, "");
  const isWhole = (offset + bytes.length) % 3 === 0;
  const digits = whole.slice([0, 2, 3][offset], isWhole ? undefined : -1);
  return [digits, digits.replaceAll("+", "-").replaceAll("/", "_")];
}

const forms = createRedactor();

const isMarked = (text: string) => forms.redact(text) !== text;

const isKey = (value: string) => /^[\w.~+/=-]+$/.test(value) && looksRandom(value, 16);
const secretName = "(?:key|token|secret|passw(?:or)?d|pwd|credentials?|(?<![a-z])pat|authorization)";
const endsSecretly = new RegExp(`${secretName}$`, "i");

/** The parts of an address that are probably keys. A login is not among them, because such an address is refused. */
export function addressSecrets(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { pathname, searchParams } = new URL(address);
  const inQuery = [...searchParams].flatMap(([name, value]) =>
    isKey(value) || endsSecretly.test(name) || isMarked(`${name}=${value}`) ? [value] : [],
  );
  return [...inQuery, ...pathname.split("/").filter(isKey)];
}

/** A value that is written out, and not a variable, a path, a switch or a small number. */
const literal = String.raw`["']?(?:(?:bearer|basic|token)\s+)?(?![$/~.]|(?:true|false|none|null|yes|no|\d{1,4})?(?:["'\s]|$))\S`;
const setting = new RegExp(
  String.raw`(?:[\w.-]*${secretName}(?:=|:\s*)|(?:^|\s)--?[\w-]*${secretName}\s+)${literal}`,
  "i",
);

/**
 * Whether a key, token or password is written out in a command: commands of the sandbox are stored with the session.
 */
export function holdsSecret(command: string): boolean {
  const addresses = command.match(/\bhttps?:\/\/[^\s"']+/g) ?? [];
  return (
    setting.test(command) ||
    isMarked(command) ||
    addresses.some((address) => addressSecrets(address).length > 0)
  );
}
