// What a stream shows at once, because no more text could make it a secret, and that it holds nothing for ever.
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { letters } from "./made-up.ts";
import { samples } from "./samples.ts";

const { redact, stream } = createRedactor();

/** What a stream has shown after each of `pieces`. */
function shownOf(...pieces: string[]): string {
  const redacting = stream();
  return pieces.map((piece) => redacting.push(piece)).join("");
}

test.each([
  ["<meta name=api-secret "],
  ["password\u001b[31m !"],
  ["password is \u001b"],
  ["x -pT"],
  ["echo hello\n"],
  ['"d": null, '],
  ["-----BEGIN CERTIFICATE-----\nabc"],
  ["AuthorizationBasic.Y "],
  ["authorization: none\n"],
  ["Done\nThin", "king"],
  ["x = monkey: "],
  ["DB_PASSWORD=letmein\n!"],
  ["password: config.value\n"],
  ['"data": [!'],
  ["basic setup "],
  ["machine a.example log6i"],
  ["+db:5432:app:me\n"],
  ["{", "a", "[H", "e"],
])("%j is shown at once", (...pieces) => {
  expect(shownOf(...pieces)).toBe(redact(pieces.join("")));
});

test("a whole key is shown as soon as its end is there", () => {
  const dashes = "-".repeat(5);
  const key = `${dashes}BEGIN PRIVATE KEY${dashes}\n${letters(64)}\n${dashes}END PRIVATE KEY${dashes}`;
  const mark = "[redacted: private key]\n";
  expect(shownOf(key).startsWith(mark + mark)).toBe(true);
});

describe("what follows a secret", () => {
  // More text than any rule waits for, after a line's end and on the same line.
  const words = "a few words ".repeat(100);

  test.each(["\n", " "])("is shown after %j", (between) => {
    // The block of a Kubernetes secret does not end on its line.
    for (const { text } of samples.filter(({ text }) => between === "\n" || !/data["':]/i.test(text))) {
      const given = `${text}${between}${words}`;
      expect(shownOf(given)).toBe(redact(given));
      expect(shownOf(...text, between + words)).toBe(redact(given));
    }
  });
});

test.each([
  "token=",
  "Bearer ",
  "sk-",
  "stringData:\n  a: ",
  `${"-".repeat(5)}BEGIN PRIVATE KEY${"-".repeat(5)}\n`,
  "\n",
])("after %j, text that never ends is not held for ever", (beginning) => {
  const pieces = Array.from({ length: 200 }, () => letters(400));
  expect(shownOf(beginning, ...pieces).length).toBeGreaterThan(beginning.length);
});

test("of more lines than a key has, only the last ones are one", () => {
  const text = `${letters(64)}\n`.repeat(700) + ["-----END ", "PRIVATE KEY-----"].join("");
  expect(redact(text).startsWith(letters(64))).toBe(true);
});
