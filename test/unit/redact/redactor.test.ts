import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactionMark } from "../../../shared/hashline/payload.ts";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { streamed, withoutKeyHeads } from "./streamed.ts";

const ownToken = "qV7x2-own_token.of+this/server";
const redactor = createRedactor([ownToken, "", "short"]);
const { redact, stream } = redactor;

const letters = (count: number) => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(20).slice(0, count);
/** Joins parts, so that no secret scanner reports this file. */
const join = (...parts: string[]) => parts.join("");
const pem = (kind: string, lineEnd: string) =>
  [`-----BEGIN ${kind}-----`, letters(64), letters(64), letters(20), `-----END ${kind}-----`].join(lineEnd);

const secrets: Record<string, string> = {
  "a server's own token": ownToken,
  "an OpenAI key": join("sk-", "proj-", letters(48)),
  "an Anthropic key": join("sk-", "ant-api03-", letters(90)),
  "a GitHub token": join("ghp_", letters(36)),
  "a fine-grained GitHub token": join("github_pat_", letters(80)),
  "a GitLab token": join("glpat-", letters(20)),
  "an AWS access key": join("AKIA", "ABCDEFGHIJ234567"),
  "a Google key": join("AIza", letters(35)),
  "a Slack token": join("xoxb-", "123456789012-", letters(24)),
  "a Stripe key": join("sk_", "live_", letters(24)),
  "an npm token": join("npm_", letters(36)),
  "a SendGrid key": join("SG.", letters(22), ".", letters(43)),
  "a web token": join("eyJ", letters(20), ".eyJ", letters(40), ".", letters(43)),
};

describe("text as a whole", () => {
  test.each(Object.entries(secrets))("%s is hidden, the text around it is not", (_, secret) => {
    for (const text of [`KEY=${secret}\n`, `"${secret}", x`, `(${secret})`, secret, `a ${secret} b`]) {
      const shown = redact(text);
      expect(shown).not.toContain(secret.slice(6));
      expect(shown).toMatch(redactionMark);
      expect(shown.replace(redactionMark, secret)).toBe(text);
    }
  });

  test.each(["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY"])(
    "no line of a %s is left, and lines keep their numbers",
    (kind) => {
      const shown = redact(`first\n${pem(kind, "\n")}\nlast\n`);
      expect(shown).not.toContain(letters(20));
      expect(shown.split("\n")).toHaveLength(8);
      expect(shown.split("\n").at(-2)).toBe("last");
    },
  );

  test("a private key in one line of JSON becomes one mark", () => {
    const shown = redact(JSON.stringify({ key: pem("PRIVATE KEY", "\n"), id: 1 }));
    expect(shown).not.toContain(letters(20));
    expect(JSON.parse(shown).id).toBe(1);
  });

  test.each([
    "task-list-of-everything-that-is-to-be-done",
    "risk-assessment-of-the-whole-project",
    "ask-me-anything-about-this-very-long-topic",
    "const sk = keys['sk-'];",
    'if (line.startsWith("-----BEGIN PRIVATE KEY-----")) return true;',
    "ghp_ is how a GitHub token begins",
    "npm_config_registry=https://example.com",
    "process.env.npm_package_json",
    "eyJhbGciOiJIUzI1NiJ9 is a header alone",
    "short",
    "sha512-6gHiQqRo9x5rVnT0MhZgKnGEl5bD4CUkV2zBnZ0xKfQ==",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  ])("%s is not a secret", (text) => {
    expect(redact(text)).toBe(text);
  });
});

const ordinary = fc.string({ unit: "grapheme", maxLength: 30 });
const piece = fc.oneof(
  ordinary,
  fc.constantFrom(...Object.values(secrets), pem("RSA PRIVATE KEY", "\n")),
  fc.constantFrom(
    " ",
    "\n",
    "sk-",
    "ghp_",
    "s",
    "-----BEGIN ",
    "eyJ",
    "aws_secret_access_key",
    ownToken.slice(0, 9),
  ),
);
const between = fc.constantFrom(" ", "\n", "\r\n", '"', "=", "(");
const text = fc.array(fc.tuple(piece, between), { maxLength: 8 }).map((pieces) => pieces.flat().join(""));

describe("any text", () => {
  test("redacting redacted text changes nothing", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(redact(redact(given))).toBe(redact(given));
      }),
    );
  });

  test("the number of lines stays the same", () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(redact(given).split(/\r?\n/)).toHaveLength(given.split(/\r?\n/).length);
      }),
    );
  });

  test("cut anywhere, a stream shows what the whole text would", () => {
    const property = fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (given, cuts) => {
      expect(withoutKeyHeads(streamed(redactor, given, cuts))).toBe(withoutKeyHeads(redact(given)));
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

test("each secret cut at every place, one character at a time, is never shown", () => {
  for (const secret of Object.values(secrets)) {
    const redacting = stream();
    const shown = [...`x ${secret} y`].map((char) => redacting.push(char)).join("") + redacting.end();
    expect(shown).toMatch(/^x \[redacted: [\w ]+\] y$/);
  }
});

test("a bearer token of hexadecimal digits is hidden, however regular; a word is not", () => {
  const withoutValues = createRedactor();
  const even = "abcdef0123456789".repeat(2);
  expect(withoutValues.redact(`Authorization: Bearer ${even}`)).toBe(
    "Authorization: Bearer [redacted: login]",
  );
  expect(withoutValues.redact(`Bearer ${"0".repeat(32)}`)).toBe(`Bearer ${"0".repeat(32)}`);
  expect(withoutValues.redact("Bearer abcdefabcdef")).toBe("Bearer abcdefabcdef");
});

test("ordinary words are not delayed", () => {
  const redacting = stream();
  expect(redacting.push("Hello, wor")).toBe("Hello, wor");
  expect(redacting.push("ld. The API is read")).toBe("ld. The API is read");
});

test("what looks like an endless secret is not held back for ever", () => {
  const redacting = stream();
  let shownChars = redacting.push("sk-").length;
  for (let index = 0; index < 100; index++) shownChars += redacting.push(letters(400)).length;
  expect(shownChars).toBeGreaterThan(0);
});

test.each([
  ["a key", `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${"aB3dE6gH9jK2mN5p".repeat(4)}\n`],
  ["a token", ` ghp_${"aB3dE6gH9jK2".repeat(3)}`],
])("a value of a Kubernetes secret that %s follows is judged the same after a mark is set", (_, next) => {
  const { redact } = createRedactor();
  for (const before of ['{"stringData":{"first":"Tr0ub4', '{"kind":"Secret","data":{"first":"QUJDREVGRw==']) {
    const shown = redact(before + next);
    expect(shown).toContain("[redacted: ");
    expect(redact(shown)).toBe(shown);
  }
});
