// Decides what a name announces about the value after it: `DB_PASSWORD`, `apiKey`, `max_tokens`. Pure.

import { foreignParts, foreignPasswords, foreignSecrets } from "./foreign-names.ts";

export type NameKind = "password" | "secret" | "login" | "key";

/** The words, in lower case, that make a name worth examining. */
export const nameWords = [
  "pass",
  "pwd",
  "_pw",
  "secret",
  "token",
  "key",
  "auth",
  "cred",
  "_pat",
  "salt",
  "jwt",
  "session",
  "cookie",
  "psk",
  "pswd",
  ...foreignParts,
];

/** Words that contain one of those by chance, and names of public values. */
const harmless =
  /compass|bypass|surpass|trespass|monkey|turkey|hotkey|jockey|tokeniz|tokenis|secretary|basalt|credit|incred|sacred|(?:^|_)(?:public|publishable|pub|primary|foreign|partition|sort|cache|query|idempotency|registry|site|group|bucket|row|map|object|host|known|csrf|xsrf|page|cancel|cancellation|continuation|sync|pagination|deduplication|routing|translation|i18n|lookup|unique|natural|composite|index|hash|react|item|list|arrow|shift|num|last|first|max|min)_?(?:token|key|secret)s?(?:_|$)/;

/** Names that say something about a secret but do not hold one. */
const about =
  /_(?:id|name|url|uri|path|file|filename|dir|type|length|len|size|count|field|column|header|label|title|text|placeholder|hint|help|error|message|policy|expires|expiry|expiration|expired|in|at|ttl|timeout|limit|endpoint|host|prefix|suffix|format|algorithm|algo|alg|version|arn|fingerprint|digest|checksum|input|selector|class|icon|page|route|enabled|required|valid|regex|pattern|schema|param|provider|manager|service|store|factory|issuer|audience|scope|usage|method|strategy|mode|link|ref|reference|alias|manufacturer|code_challenge|changed|updated|created|domain|location|signature|integrity|image|tag|digit)s?$/;

const password = /pass(?:phrase|code)?s?\d*(?:_|$)|pwd\d*(?:_|$)|_pw(?:_|$)|passw|(?:^|_)(?:psk|pswd)$/;
const secret = /secret|token|cred|salt|jwt|session|cookie|_pat(?:_|$)/;
const keyOfSecrets =
  /(?:api|access|private|sign\w*|master|account|service|client|app\w*|shared|server|storage|crypt\w*|licen[sc]e|consumer|deploy\w*|hmac|aes|admin|webhook|secure|user|instrumentation|subscription|integration|functions?|connection|secondary|[a-z]{2,}ai|security|ingest\w*|write|read|rest|project|team|org|bot|dev|prod\w*|live|test)_?keys?(?:_|$)/;

const pattern = (words: readonly string[]) => new RegExp(`(?:^|_)(?:${words.join("|")})\\d*(?:_|$)`);
const foreignPassword = pattern(foreignPasswords);
const foreignSecret = pattern(foreignSecrets);

/** The kind of secret that `name` announces; undefined = none. */
export function nameKind(name: string): NameKind | undefined {
  const plain = name
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_")
    .replace(/[-.:/]+/g, "_")
    .toLowerCase();
  // `pat` in lower case also means pattern.
  if (/_pat$/.test(plain) && !/_PAT$/.test(name)) return undefined;
  if (harmless.test(plain) || (about.test(plain) && !/session_?id$/.test(plain))) return undefined;
  return announced(plain) ?? announcedElsewhere(plain);
}

function announcedElsewhere(plain: string): NameKind | undefined {
  if (foreignPassword.test(plain)) return "password";
  if (foreignSecret.test(plain)) return "secret";
  // Words in other scripts may have no boundaries in names: `数据库密码`.
  const endsWith = (words: readonly string[]) => words.some((word) => plain.endsWith(word));
  return endsWith(foreignPasswords) ? "password" : endsWith(foreignSecrets) ? "secret" : undefined;
}

function announced(plain: string): NameKind | undefined {
  if (password.test(plain)) return "password";
  if (/(?:^|_)(?:auth|identity_?token)$/.test(plain)) return "login";
  if (secret.test(plain) || /(?:^|_)auth_/.test(plain) || keyOfSecrets.test(plain)) return "secret";
  return /keys?(?:_|$)/.test(plain) ? "key" : undefined;
}
