// The forms of well-known secrets. Data only: what each begins with, what it goes on with, how long it is at least.

/** A secret that is told by its first letters. All are case-sensitive. */
export interface Shape {
  /** Stands in the mark: `[redacted: kind]`. */
  kind: string;
  /** Literal beginnings. No other shape's beginning lies inside one. */
  prefixes: readonly string[];
  /** A character class of what may follow. */
  body: string;
  /** A whole one, behind the prefix. */
  rest: string;
}

const word = "A-Za-z0-9_";
const base64 = "A-Za-z0-9+/=";

const token = (kind: string, prefixes: readonly string[], minLength: number, body = `${word}-`): Shape => ({
  kind,
  prefixes,
  body,
  rest: `[${body}]{${minLength},}`,
});

/**
 * Sources: the vendors' own pages on the form of their keys, as GitHub's list of secret scanning patterns names them
 * (https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns).
 */
export const shapes: readonly Shape[] = [
  token("API key", ["sk-"], 20),
  token("GitHub token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], 36, word),
  token("GitHub token", ["github_pat_"], 50, word),
  token("GitLab token", ["glpat-"], 20),
  token("AWS access key", ["AKIA", "ASIA"], 16, "A-Z0-9"),
  token("AWS secret key", ["aws_secret_access_key=", "AWS_SECRET_ACCESS_KEY="], 40, base64),
  token("Google API key", ["AIza"], 35),
  token("Slack token", ["xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], 20),
  token("Stripe key", ["sk_live_", "rk_live_", "sk_test_", "rk_test_"], 16, word),
  token("npm token", ["npm_"], 36, word),
  token("Hugging Face token", ["hf_"], 30, word),
  token("Groq key", ["gsk_"], 40, word),
  token("xAI key", ["xai-"], 40),
  {
    kind: "SendGrid key",
    prefixes: ["SG."],
    body: `${word}.-`,
    rest: `[${word}-]{16,}\\.[${word}-]{16,}`,
  },
  {
    kind: "web token",
    prefixes: ["eyJ"],
    body: `${word}.-`,
    rest: `[${word}-]{10,}\\.eyJ[${word}-]{10,}\\.[${word}-]{10,}`,
  },
  {
    kind: "private key",
    prefixes: [
      "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----",
      "-----BEGIN EC PRIVATE KEY-----",
      "-----BEGIN DSA PRIVATE KEY-----",
      "-----BEGIN OPENSSH PRIVATE KEY-----",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----",
    ],
    // With real line ends, or with `\n` written out as in JSON and environment files.
    body: `${base64}\\s\\\\`,
    rest: `[${base64}\\s\\\\]{64,}`,
  },
];
