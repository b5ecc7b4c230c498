// Decides whether a value is a secret, from its name and from how both are written on their line. Pure.
import { entropyOf, isEncodedLogin, isMixed, isOwnWord, looksRandom } from "./judge-value.ts";
import type { NameKind } from "./names.ts";

/** How a value is written. */
export type Setting =
  /** Between quotes. */
  | "quoted"
  /** `NAME=value` on its own line. */
  | "set"
  /** `name: value` or `name = value` on its own line. */
  | "line"
  /** Inside a connection string, a query or a command. */
  | "field"
  /** Inside text that may be code. */
  | "code";

const publicValue = /^(?:sha\d{1,3}[-:]|pk[_.]|ssh-|data:|[a-z][a-z+]{1,12}:\/\/)/i;
const path = /^(?:\.{0,2}|~)\/(?:[\w.-]+\/|[a-z_.-]+$)|^[A-Za-z]:\\/;
/** `identifier` matches `password2` and `config.password`; `chain` matches only the latter. */
const identifier = /^[A-Za-z_$][\w$]*(?:(?:\??\.|::)[A-Za-z_$][\w$]*)*$/;
const chain = /^[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+$/;

export function isSecret(kind: NameKind, name: string, value: string, setting: Setting): boolean {
  if (publicValue.test(value)) return false;
  switch (kind) {
    case "password":
      return isPassword(value, setting);
    case "secret":
      return (
        looksRandom(value, 16) || (setting === "set" && isSetSecret(name, value)) || isChosen(name, value)
      );
    case "login":
      return (value.length >= 8 && isEncodedLogin(value)) || looksRandom(value, 20);
    case "key":
      return looksRandom(value, 32) || (looksRandom(value, 20) && isDense(value));
  }
}

function isPassword(value: string, setting: Setting): boolean {
  if (looksRandom(value, 12)) return true;
  if (path.test(value)) return false;
  if (setting === "set") return isOwnWord(value, 4);
  if (!isMixed(value) || !isOwnWord(value, 6)) return false;
  if (setting === "line") return !chain.test(value);
  return setting === "code" ? !identifier.test(value) : true;
}

/** Whether a value is a secret at a place where a person sets values and code would not put a variable. */
function isSetSecret(name: string, value: string): boolean {
  if (path.test(value) || !isOwnWord(value, 8) || entropyOf(value) < 2) return false;
  return isMixed(value) ? /\d/.test(value) : /secret$/i.test(name);
}

/**
 * Whether a person chose this secret: its name ends in `secret`, and the value has letters of both cases, digits and
 * punctuation.
 */
function isChosen(name: string, value: string): boolean {
  if (!/secret$/i.test(name) || path.test(value) || !isOwnWord(value, 10)) return false;
  return [/[a-z]/, /[A-Z]/, /\d/, /[^\w./:-]/].every((kind) => kind.test(value));
}

function isDense(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && entropyOf(value) >= 3.8;
}
