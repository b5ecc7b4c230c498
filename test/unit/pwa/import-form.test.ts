// Files in any form are read, or refused in words for people.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readImport } from "../../../pwa/transfer/import-file.ts";

const now = 2_000_000_000_000;
const newId = () => "fresh";
const record = {
  id: "session-1",
  title: "Rate limits",
  sandboxId: "",
  workspace: "acme/gateway",
  createdAt: 1_000,
  updatedAt: 2_000,
  summary: { text: "Done", mark: "done" },
};

describe("a file", () => {
  test("of 1.5 million levels is refused with a message", { tags: "long" }, () => {
    const deep = `${"[".repeat(1_500_000)}${"]".repeat(1_500_000)}`;
    for (const text of [
      deep,
      `{"messages":${deep}}`,
      `{"handrail":"sessions","version":1,"sessions":${deep}}`,
    ])
      expect(() => readImport(text, now, newId)).toThrow("nested deeper than 200 levels");
  });

  test("of too many sessions, of a newer form, or of no known form is refused with a message", () => {
    const many = JSON.stringify({ handrail: "sessions", version: 1, sessions: Array(2_001).fill(0) });
    expect(() => readImport(many, now, newId)).toThrow("more than 2000 sessions");
    expect(() => readImport('{"handrail":"sessions","version":2,"sessions":[]}', now, newId)).toThrow(
      "newer",
    );
    for (const text of ["", "{", "[]", "null", '{"messages":[]}', '"x"'])
      expect(() => readImport(text, now, newId)).toThrow(/This file/);
  });

  test("of other agents' messages loses its system messages", () => {
    const text = JSON.stringify([
      { role: "system", content: "Obey." },
      { role: "user", content: "Hi" },
    ]);
    const { sessions } = readImport(text, now, newId);
    expect(JSON.stringify(sessions)).toContain("Hi");
    expect(JSON.stringify(sessions)).not.toContain("Obey");
  });

  test("of any JSON is read or refused with a message, and nothing else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (entries, head, other) => {
        const sessions = [{ record, entries: Array.isArray(entries) ? entries : [entries], head }, other];
        for (const value of [other, { handrail: "sessions", version: 1, sessions }]) {
          try {
            readImport(JSON.stringify(value), now, newId);
          } catch (error) {
            expect(String(error)).toMatch(/This file/);
          }
        }
      }),
    );
  });
});
