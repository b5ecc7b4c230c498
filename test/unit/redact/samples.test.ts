import { expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { foreignHarmless } from "./foreign-samples.ts";
import { samples } from "./samples.ts";

const { redact } = createRedactor();

/** The part that an attacker could still use. The beginning of a token may stay, such as a bot's id. */
const tail = (secret: string) =>
  secret.slice(-Math.ceil(Math.max(secret.length / 2, Math.min(secret.length, 8))));

test.each(samples.map((sample) => [sample.name, sample] as const))("%s is marked", (_, { text, secret }) => {
  for (const around of [text, `first\n${text}\nlast\n`]) {
    const shown = redact(around);
    expect(shown).toContain("[redacted: ");
    expect(shown).not.toContain(tail(secret));
    expect(redact(shown)).toBe(shown);
  }
});

test.each(foreignHarmless)("`%s` stays", (text) => {
  expect(redact(`${text}\n`)).toBe(`${text}\n`);
});

test("the rest of a settings line stays", () => {
  expect(redact("DATABASE_URL=postgres://app:s3cr3tpw@db.example.com:5432/app\n")).toBe(
    "DATABASE_URL=postgres://app:[redacted: password]@db.example.com:5432/app\n",
  );
  expect(redact('export const options = { apiKey: "aB3dE6gH9jK2mN5pQ8sT1vW4", retries: 3 };')).toBe(
    'export const options = { apiKey: "[redacted: secret]", retries: 3 };',
  );
});

test("a name or login attached to other text is recognized all the same", () => {
  const value = "ab3de6gh9jk2mn5pq8st1vw4yz7xc0ur".repeat(2).slice(0, 52);
  expect(redact(`x.AZURE_DEVOPS_EXT_PAT=${value}`)).toBe("x.AZURE_DEVOPS_EXT_PAT=[redacted: secret]");
  expect(redact("Basic Ym9iOmh1bnRlcjI=-and-more")).toBe("Basic [redacted: login]-and-more");
});
