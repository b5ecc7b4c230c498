// A token of the server's own becomes the login in a clone's address and goes nowhere else.
import { expect, test } from "vitest";
import { withServerToken } from "../../../functions/forge/forge-settings.ts";
import { addressOf } from "../../../sandbox/sources/git-address.ts";

const settings = { tokens: "github.com=a%41/@:b" };

test.each([
  ["https://github.com/a/b", "https://github.com/a/b"],
  ["https:github.com/a://b", "https://github.com/a://b"],
  ["https:/github.com/://b", "https://github.com/://b"],
  ["https:\\\\github.com\\a://b", "https://github.com/a://b"],
  ["https://:x@github.com/a", "https://github.com/a"],
])("%s is cloned with the credentials, and shown without", (address, url) => {
  expect(addressOf(withServerToken(settings, address))).toMatchObject({ url, token: "a%41/@:b" });
});

test.each([
  "https:gitlab.com/https://github.com/a",
  "https:gitlab.com/a://github.com/b",
  "https://me@github.com/a",
  "http://github.com/a",
  "git@github.com:a/b",
])("%s gets none", (address) => {
  expect(withServerToken(settings, address)).toBe(address);
});
