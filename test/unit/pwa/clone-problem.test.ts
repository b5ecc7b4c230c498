// Git's complaints, translated into words for people.
import { expect, test } from "vitest";
import { cloneProblem } from "../../../pwa/words/repository.ts";

const said = (words: string) =>
  cloneProblem(`source.git: the repository could not be fetched. git said: fatal: ${words}`);

test.each([
  ["could not read Username for 'https://github.com': terminal prompts disabled", /requires a login/],
  ["Authentication failed for 'https://github.com/a/b/'", /requires a login/],
  ["unable to access 'https://h/': The requested URL returned error: 403", /requires a login/],
  ["repository 'https://github.com/a/b/' not found", /no such repository/],
  ["couldn't find remote ref nope", /no branch or tag/],
  ["unable to access 'https://h/': Could not resolve host: h", /cannot reach that host/],
  ["unable to access 'http://h/': Failed to connect to h port 1 after 0 ms", /cannot reach that host/],
  ["write error: No space left on device", /disk of your server is full/],
  ["git@h: Permission denied (publickey).", /SSH key/],
])("%s", (words, meaning) => {
  expect(said(words)).toMatch(meaning);
});

test("a repository above the limit is reported with the limit's size and that nothing is left", () => {
  const words = cloneProblem(
    "The sandbox may take 2048 MiB of disk, and this would be more. Delete some files, or raise --disk-quota.",
  );
  expect(words).toContain("2048 MiB");
  expect(words).toContain("None of it was left");
});

test("an unknown problem is shown as it was reported, without the name of a field", () => {
  expect(cloneProblem("source.git: give an https or ssh URL of a repository.")).toBe(
    "Give an https or ssh URL of a repository.",
  );
});
