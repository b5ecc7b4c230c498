// Tokens and files of keys that were encoded as a whole, once or twice: base64, hexadecimal, and signs as a URL has them.
// Data only. What begins in the middle of an encoded text is not told.
import type { Shape } from "./token.ts";

const encoded = (kind: string, prefixes: string, minLength: number, body: string): Shape => ({
  kind,
  prefixes: prefixes.split(" "),
  body,
  rest: `[${body}]{${minLength},}`,
});

/** With hexadecimal digits of both cases, and in a URL within a URL, where percent signs are encoded themselves. */
function inUrl(kind: string, prefixes: string, minLength: number, body: string): Shape {
  const once = `${prefixes} ${prefixes.replace(/%../g, (sign) => sign.toLowerCase())}`;
  return encoded(kind, `${once} ${once.replaceAll("%", "%25")}`, minLength, body);
}

const base64 = "A-Za-z0-9+/=";
const base64url = `${base64}_\\-`;

export const encodedShapes: readonly Shape[] = [
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
  inUrl("GitHub token", "ghp%5F gho%5F ghs%5F", 30, "A-Za-z0-9"),
  inUrl("GitHub token", "github%5Fpat%5F", 50, "A-Za-z0-9_%"),
  inUrl("GitLab token", "glpat%2D", 20, "\\w%\\-"),
  inUrl("API key", "sk%2Dant%2D sk%2Dproj%2D", 30, "\\w%\\-"),
  inUrl("Stripe key", "sk%5Flive%5F rk%5Flive%5F", 16, "A-Za-z0-9"),
  inUrl("Slack token", "xoxb%2D xoxp%2D", 20, "\\w%\\-"),
  // Base64 of that base64: as much of a beginning as no later character changes. JSON web tokens and PEM files, too.
  encoded("GitHub token", "WjJod1 WjJodl WjJoel WjJoMV WjJsMGFIVmlYM0JoZE", 60, base64url),
  encoded("GitLab token", "WjJ4d1lYUX", 32, base64url),
  encoded("API key", "YzJzdFlXNTBM YzJzdGNISnZha UVVsNl", 54, base64url),
  encoded("Stripe key", "YzJ0ZmJHbDJaV Y210ZmJHbDJaV", 32, base64url),
  encoded("Slack token", "ZUc5NFlp ZUc5NGND", 32, base64url),
  encoded("npm token", "Ym5CdF", 60, base64url),
  encoded("login", "ZXlKaGRYUm9jeUk2", 54, base64url),
  encoded("web token", "WlhsS", 80, base64url),
  encoded(
    "private key",
    "TFMwdExTMUNSVWRKVGlCUVVrbF TFMwdExTMUNSVWRKVGlCU1UwRW TFMwdExTMUNSVWRKVGlCRlF5Ql TFMwdExTMUNSVWRKVGlCUFVFVk TFMwdExTMUNSVWRKVGlCRlRrTl TFMwdExTMUNSVWRKVGlCUVIxQWdVRkpKV TFMwdExTMUNSVWRKVGlCRVUwRW",
    54,
    base64,
  ),
];
