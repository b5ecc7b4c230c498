// Tokens and key files that were encoded as a whole, once or twice: in base64, in hexadecimal, or percent-encoded. A
// secret that begins in the middle of an encoded text is not recognised.
import { type Shape, tokenShape } from "./token.ts";

const base64 = "A-Za-z0-9+/=";
const base64url = `${base64}_\\-`;
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const bytes = (text: string, radix: number, width: number): string =>
  Array.from(text, (char) => char.charCodeAt(0).toString(radix).padStart(width, "0")).join("");

/** The beginning of `text` in base64, as far as it does not depend on later characters. */
const inBase64 = (text: string): string =>
  bytes(text, 2, 8).replace(/.{1,6}/g, (bits) =>
    bits.length < 6 ? "" : (digits[Number.parseInt(bits, 2)] ?? ""),
  );

type Encoded = readonly [
  kind: string,
  beginnings: readonly string[],
  minLength: number,
  body?: string | undefined,
];

const once = ([kind, beginnings, minLength, body = base64url]: Encoded): Shape =>
  tokenShape(kind, beginnings.map(inBase64), minLength, body);

const twice = ([kind, beginnings, minLength]: Encoded): Shape =>
  once([kind, beginnings.map(inBase64), Math.ceil((minLength * 4) / 3)]);

/** In hexadecimal digits alone, and with an escape for each character: `%67%68`, `\u0067\u0068`, `\x67\x68`. */
const inHex = (kind: string, beginnings: readonly string[], minLength: number): Shape[] =>
  ["", "%", "\\u00", "\\x"].map((sign) => {
    const lower = beginnings.map((text) => bytes(text, 16, 2).replace(/../g, (byte) => sign + byte));
    const upper = lower.map((text) => text.replace(/[a-f]/g, (digit) => digit.toUpperCase()));
    // Some encoders escape only the beginning.
    return sign === ""
      ? tokenShape(kind, [...lower, ...upper], minLength, "A-Fa-f0-9")
      : tokenShape(kind, [...lower, ...upper], minLength / 2, "\\w%\\\\-");
  });

/**
 * Percent-encoded `_` and `-`, which some encoders encode without need: with hexadecimal digits of both cases, and
 * encoded again for a URL inside a URL.
 */
const inUrl = (kind: string, beginnings: readonly string[], minLength: number, body = "\\w%\\-"): Shape => {
  const upper = beginnings.map((text) => text.replaceAll("_", "%5F").replaceAll("-", "%2D"));
  const all = [...upper, ...upper.map((text) => text.replace(/%../g, (sign) => sign.toLowerCase()))];
  return tokenShape(kind, [...all, ...all.map((text) => text.replaceAll("%", "%25"))], minLength, body);
};

const gitHub = ["ghp_", "gho_", "ghs_", "ghu_", "github_pat_"];
const openAiAndAnthropic = ["sk-ant-", "sk-proj-"];
const slack = ["xoxb-", "xoxp-"];

const inBase64Too: readonly Encoded[] = [
  ["GitHub token", gitHub, 45],
  ["GitLab token", ["glpat-"], 24],
  ["API key", [...openAiAndAnthropic, "AIza"], 40],
  ["Stripe key", ["sk_live_", "rk_live_"], 24],
  ["Slack token", slack, 24],
  ["npm token", ["npm_"], 45],
  ["login", ['{"auths":'], 40],
  [
    "private key",
    ["PRIV", "RSA ", "EC P", "OPEN", "ENCR", "PGP PRIV", "DSA "].map((begin) => `-----BEGIN ${begin}`),
    40,
    base64,
  ],
];

export const encodedShapes: readonly Shape[] = [
  ...inBase64Too.map(once),
  ...inBase64Too.map(twice),
  // The JSON file of a service account with its usual spaces.
  once([
    "private key",
    ['{"type":', '{"type": ', '{\n  "type": ', '{\n    "type": '].map((begin) => `${begin}"service_account"`),
    40,
  ]),
  // A JSON web token begins with `{"` in base64.
  once(["web token", ["eyJ"], 60]),
  twice(["web token", ["eyJ"], 60]),
  ...inHex("GitHub token", gitHub, 64),
  ...inHex("API key", openAiAndAnthropic, 64),
  ...inHex("AWS access key", ["AKIA", "ASIA"], 32),
  ...inHex("Slack token", slack, 40),
  ...inHex("private key", ["-----BEGIN "], 200),
  inUrl("GitHub token", ["ghp_", "gho_", "ghs_"], 30, "A-Za-z0-9"),
  inUrl("GitHub token", ["github_pat_"], 50, "A-Za-z0-9_%"),
  inUrl("GitLab token", ["glpat-"], 20),
  inUrl("API key", openAiAndAnthropic, 30),
  inUrl("Stripe key", ["sk_live_", "rk_live_"], 16, "A-Za-z0-9"),
  inUrl("Slack token", slack, 20),
];
