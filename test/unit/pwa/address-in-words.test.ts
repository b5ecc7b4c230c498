import { describe, expect, test } from "vitest";
import { placeInWords, plainAddress } from "../../../pwa/words/repository.ts";

describe("an address shown as text", () => {
  test.each([
    ["https://github.com/acme/gateway.git", "github.com/acme/gateway.git"],
    ["https://github.com.evil.example/acme/gateway", "github.com.evil.example/acme/gateway"],
    ["https://github.com@evil.example/acme", "evil.example/acme"],
    ["ssh://git@evil.example:2222/acme", "evil.example:2222/acme"],
    ["git@evil.example:acme/gateway.git", "evil.example/acme/gateway.git"],
    ["https://gіthub.com/acme", "xn--gthub-n2e.com/acme"],
    ["file:///etc", "/etc"],
  ])("%s is shown as %s: the host to be contacted comes first", (address, words) => {
    expect(placeInWords(address)).toBe(words);
  });
});

test.each([
  ["https://me:secret@git.example/a", "https://git.example/a"],
  ["https://me:sec@ret@git.example/a", "https://git.example/a"],
  ["http://x@y@@git.example/a", "http://git.example/a"],
  ["https://git.example/a@b", "https://git.example/a@b"],
])("of %s, %s is kept: no part of a token", (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});
