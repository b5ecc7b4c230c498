// Tokens and files of keys that were encoded as a whole, once or twice: base64, hexadecimal, and signs as a URL has them.
// Data only. What begins in the middle of an encoded text is not told.
import type { Shape } from "./token.ts";

const encoded = (kind: string, prefixes: string, minLength: number, body: string): Shape => ({
  kind,
  prefixes: prefixes.split(" "),
  body,
  rest: `[${body}]{${minLength},}`,
});

const base64 = "A-Za-z0-9+/=";
const base64url = `${base64}_\\-`;

const once: readonly Shape[] = [
  // ghp_ gho_ ghs_ ghu_ github_pat_, as the beginning of a text in base64 shows them.
  encoded("GitHub token", "Z2hwX Z2hvX Z2hzX Z2h1X Z2l0aHViX3BhdF", 45, base64url),
  encoded("GitLab token", "Z2xwYXQt", 24, base64url),
  // sk-ant- sk-proj- AIza
  encoded("API key", "c2stYW50L c2stcHJvai QUl6Y", 40, base64url),
  encoded("Stripe key", "c2tfbGl2ZV cmtfbGl2ZV", 24, base64url),
  encoded("Slack token", "eG94Yi eG94cC", 24, base64url),
  encoded("npm token", "bnBtX", 45, base64url),
  // {"auths":, and {"type":"service_account" with the usual spaces.
  encoded("login", "eyJhdXRocyI6", 40, base64url),
  encoded(
    "private key",
    "eyJ0eXBlIjoic2VydmljZV9hY2NvdW50I eyJ0eXBlIjogInNlcnZpY2VfYWNjb3VudC ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudC ewogICAgInR5cGUiOiAic2VydmljZV9hY2NvdW50I",
    40,
    base64url,
  ),
  // BEGIN PGP PRIV, BEGIN DSA
  encoded("private key", "LS0tLS1CRUdJTiBQR1AgUFJJV LS0tLS1CRUdJTiBEU0Eg", 40, base64),
  // The same in hexadecimal.
  encoded("GitHub token", "6768705f 67686f5f 6768735f 6768755f 6769746875625f7061745f", 64, "A-Fa-f0-9"),
  encoded("GitHub token", "6768705F 67686F5F 6768735F 6768755F 6769746875625F7061745F", 64, "A-Fa-f0-9"),
  encoded("API key", "736b2d616e742d 736b2d70726f6a2d 736B2D616E742D 736B2D70726F6A2D", 64, "A-Fa-f0-9"),
  encoded("AWS access key", "414b4941 41534941 414B4941", 32, "A-Fa-f0-9"),
  encoded("Slack token", "786f78622d 786f78702d 786F78622D 786F78702D", 40, "A-Fa-f0-9"),
  encoded("private key", "2d2d2d2d2d424547494e20 2D2D2D2D2D424547494E20", 200, "A-Fa-f0-9"),
  // Signs that need no encoding, encoded.
  encoded("GitHub token", "ghp%5F gho%5F ghs%5F ghp%5f gho%5f ghs%5f", 30, "A-Za-z0-9"),
  encoded("GitHub token", "github%5Fpat%5F github%5fpat%5f", 50, "A-Za-z0-9_%"),
  encoded("GitLab token", "glpat%2D glpat%2d", 20, "\\w%\\-"),
  encoded("API key", "sk%2Dant%2D sk%2Dproj%2D sk%2dant%2d sk%2dproj%2d", 30, "\\w%\\-"),
  encoded("Stripe key", "sk%5Flive%5F rk%5Flive%5F sk%5flive%5f rk%5flive%5f", 16, "A-Za-z0-9"),
  encoded("Slack token", "xoxb%2D xoxp%2D xoxb%2d xoxp%2d", 20, "\\w%\\-"),
];

/** Base64 of JSON web tokens and of PEM files, which are themselves among the plain shapes. */
const alsoOnce: readonly Shape[] = [
  encoded("web token", "ZXlK", 60, base64),
  encoded(
    "private key",
    "LS0tLS1CRUdJTiBQUklW LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBFQyBQ LS0tLS1CRUdJTiBPUEVO LS0tLS1CRUdJTiBFTkNS",
    60,
    base64,
  ),
];

export const encodedShapes: readonly Shape[] = [...once, ...[...once, ...alsoOnce].flatMap(encodedAgain)];

/**
 * Encoded once more in the same way: base64 is by a third longer and keeps the beginning, of which the last characters
 * depend on what follows; a URL's `%` becomes `%25`.
 */
function encodedAgain({ kind, prefixes, rest, body }: Shape): Shape[] {
  const minLength = Number(/\{(\d+),\}$/.exec(rest)?.[1]);
  if (body === base64 || body === base64url) {
    const again = prefixes.map((prefix) => btoa(prefix).slice(0, Math.floor((prefix.length * 8) / 6)));
    return [encoded(kind, again.join(" "), Math.ceil((minLength * 4) / 3), body)];
  }
  const signs = prefixes.filter((prefix) => prefix.includes("%"));
  if (signs.length === 0) return [];
  return [encoded(kind, signs.map((prefix) => prefix.replaceAll("%", "%25")).join(" "), minLength, body)];
}
