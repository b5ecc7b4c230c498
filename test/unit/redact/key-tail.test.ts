// Keys whose beginning is missing, as in the output of `tail`, and keys with something in front of each line.
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { letters } from "./made-up.ts";

const { redact, stream } = createRedactor();
const mark = "[redacted: private key]";
const dashes = "-".repeat(5);
const end = (label: string) => `${dashes}END ${label}${dashes}`;
const full = [letters(64), letters(64).split("").reverse().join("")];

const tails: [string, string[], string][] = [
  ["PEM", [...full, letters(20)], end("RSA PRIVATE KEY")],
  ["PEM that was cut within a line", [letters(30), ...full], end("PRIVATE KEY")],
  ["PEM, one line", [full[0] ?? ""], end("EC PRIVATE KEY")],
  ["OpenSSH", [letters(70), `${letters(40)}==`], end("OPENSSH PRIVATE KEY")],
  ["PGP with its checksum", [...full, `${letters(12)}==`, "=aB3d"], end("PGP PRIVATE KEY BLOCK")],
  ["PuTTY", full, "Private-MAC: 0123456789abcdef"],
];

test.each([
  "keys/id_rsa:12:",
  "keys/id_rsa:",
  "keys/id_rsa-12-",
  "^3f2504e0 (A. Person 2026-01-01 10:00:00 +0000  7) ",
])("a whole key is hidden where grep or git blame begins its lines with %j", (lead) => {
  const begin = `${dashes}BEGIN RSA PRIVATE KEY${dashes}`;
  const text = [begin, ...full, letters(20), end("RSA PRIVATE KEY")].map((line) => lead + line).join("\n");
  const redacting = stream();
  const streamed = [...text].map((char) => redacting.push(char)).join("") + redacting.end();
  for (const line of [...full, letters(20)]) expect(redact(text)).not.toContain(line);
  expect(streamed).toBe(redact(text));
});

describe("the rest of a key", () => {
  test.each(tails)("is hidden, line by line: %s", (_kind, lines, last) => {
    for (const around of ["", "$ tail key\n", "a word\nARCHITECTURE\n"])
      expect(redact(`${around}${[...lines, last].join("\n")}\nmore`)).toBe(
        `${around}${[...lines.map(() => mark), last].join("\n")}\nmore`,
      );
  });

  test.each(["+", "  ", "12:", "> ", '"'])("is hidden where its lines start with %j", (lead) => {
    const text = [...full, end("PRIVATE KEY")].map((line) => `${lead}${line}`).join("\n");
    for (const line of full) expect(redact(text)).not.toContain(line);
  });

  test.each([1, 7, 64, 500])("is hidden as it streams, in pieces of %i", (chars) => {
    for (const [, lines, last] of tails) {
      const text = `ab\n${[...lines, last].join("\n")}\nmore`;
      const redacting = stream();
      const pieces = text.match(new RegExp(`[^]{1,${chars}}`, "g")) ?? [];
      const shown = pieces.map((piece) => redacting.push(piece)).join("") + redacting.end();
      const [first = ""] = lines;
      const before = shown.slice("ab\n".length, shown.indexOf(mark));
      expect(first.slice(0, 15).startsWith(before)).toBe(true);
      expect(shown.replace(before, "")).toBe(redact(text));
    }
  });

  test.each([
    ["a certificate", [...full, end("CERTIFICATE")]],
    ["a public key", [...full, end("PUBLIC KEY")]],
    ["base64 of anything", [...full, letters(20), "Done.", end("PRIVATE KEY")]],
    ["words", ["Here", "is/a/list/of/folders", "of the", end("PRIVATE KEY")]],
  ])("is not recognized in %s", (_what, lines) => {
    const text = `${lines.join("\n")}\n`;
    expect(redact(text)).toBe(text);
    const redacting = stream();
    expect([...text].map((char) => redacting.push(char)).join("")).toBe(text);
  });

  test("delays no ordinary text, and none longer than a key", () => {
    const redacting = stream();
    expect(redacting.push("Done\nThinking")).toBe("Done\nThinking");
    expect(redacting.push(`\n${letters(64)}\n`)).toBe("\n");
    expect(redacting.push(`${letters(64)}\n`.repeat(600)).length).toBeGreaterThan(30_000);
  });
});
