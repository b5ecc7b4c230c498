// Finds names and values that are separate settings, as Kubernetes, task definitions and Terraform write an
// environment: `- name: DB_PASSWORD`, then `value: …`; `{"name": "DB_PASSWORD", "value": "…"}`.
import { isSecret } from "./judge-setting.ts";
import { nameKind } from "./names.ts";
import { endOf, type SecretRule } from "./rule.ts";

const before = /\bname["']?[ \t]{0,8}[:=][ \t]{0,8}["']?$/i;
/** The most characters that `before` matches. */
const beforeChars = 26;
const between =
  /["']?[ \t]{0,8},?\s{1,64}["']?value["']?[ \t]{0,8}[:=][ \t]{0,8}["']?|["'],["']value["']:["']?/iy;
/** The most characters that `between` matches, and a few more. */
const betweenChars = 128;
const value = /[^\s"']{0,512}/y;

/**
 * The value that belongs to the name from `nameStart` to before `nameEnd`; undefined if the name is not part of such a
 * pair.
 */
export function pairedValue(
  text: string,
  nameStart: number,
  nameEnd: number,
  ended: boolean,
): ReturnType<SecretRule> {
  if (!before.test(text.slice(Math.max(0, nameStart - beforeChars), nameStart))) return undefined;
  if (!ended && text.length - nameEnd < betweenChars) return { holdFrom: nameEnd };
  const from = endOf(between, text, nameEnd);
  if (from === nameEnd) return undefined;
  const to = endOf(value, text, from);
  if (!ended && to === text.length) return { holdFrom: from };
  const name = text.slice(nameStart, nameEnd);
  const kind = nameKind(name);
  if (!kind) return undefined;
  const setting = /^[A-Z\d_]+$/.test(name) ? "set" : "quoted";
  const own = text.slice(from, to).replace(/[,)\]}]+$/, "");
  if (!isSecret(kind, name, own, setting)) return undefined;
  return { from, to: from + own.length, kind: kind === "password" ? "password" : "secret" };
}
