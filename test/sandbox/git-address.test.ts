// The allowed forms of a repository's address, and which part of it is stored.
import { expect, test } from "vitest";
import { addressOf } from "../../sandbox/sources/git-address.ts";

test.each([
  ["https://host.example/a/b.git", undefined, "https://host.example/a/b.git", "b"],
  ["https://ann:s%2Fcret@host.example/a", "ann:s/cret", "https://host.example/a", "a"],
  ["https://token@host.example/a/", "token:", "https://host.example/a/", "a"],
  ["ssh://git@host.example/a.git", undefined, "ssh://git@host.example/a.git", "a"],
  ["git@host.example:a/b.git", undefined, "git@host.example:a/b.git", "b"],
  ["https://host.example", undefined, "https://host.example/", "repository"],
  // The line break in it would start another field for git's credential helper.
  ["https://ann:a%0Ahost=b@host.example/a", undefined, "https://host.example/a", "a"],
])("%j", (text, token, url, name) => {
  expect(addressOf(text)).toEqual({ url, token, name });
});

test.each([
  "https://host.example/a?token=sesame-1",
  "https://host.example/a#sesame-1",
  "ssh://ann:sesame-1@host.example/a",
  "git://ann:sesame-1@host.example/a",
  "ftp://host.example/sesame-1",
  "file:///sesame-1",
  "ext::sh -c sesame-1",
  "--upload-pack=sesame-1",
  "git@host.example:-sesame-1",
  "git@host.example:a/../sesame-1",
  "git@host.example:./sesame-1",
  "/sesame-1",
  "",
])("%j is refused, and not repeated", (text) => {
  expect(() => addressOf(text)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  expect(() => addressOf(text)).not.toThrow(/sesame-1/);
});
