// A link shows its target, whatever its label says.
import { expect, test } from "vitest";
import { linkTarget } from "../../../pwa/markdown/link-target.ts";

test.each([
  ["https://evil.example/x", "press here", "evil.example"],
  ["https://evil.example/x", "https://github.com", "evil.example"],
  ["https://evil.example/", "github.com", "evil.example"],
  ["https://github.com@evil.example/", "https://github.com@evil.example/", "evil.example"],
  ["https://github.com:443@evil.example", "https://github.com:443@evil.example", "evil.example"],
  ["https://github.com\\@evil.example", "x", "github.com"],
  ["https://evil.example\\@github.com", "https://evil.example\\@github.com", "evil.example"],
  ["https://github.com.evil.example/login", "GitHub", "github.com.evil.example"],
  ["https://аpple.com/", "https://аpple.com/", "xn--pple-43d.com"],
  ["https://ex\u200bample.com/", "https://ex\u200bample.com/", "example.com"],
  ["https://例え.jp", "例え", "xn--r8jz45g.jp"],
  ["http://2130706433/", "http://2130706433/", "127.0.0.1"],
  ["http://[::1]:8787/x", "local", "[::1]:8787"],
  ["https://evil.example:8443/", "https://evil.example", "evil.example:8443"],
  ["mailto:eve@evil.example?subject=x", "support@github.com", "eve@evil.example"],
  [
    "mailto:support@github.com?bcc=eve@evil.example",
    "support@github.com",
    "support@github.com, eve@evil.example",
  ],
  ["mailto:?%54o=eve%40evil.example", "support@github.com", "eve@evil.example"],
  ["https://", "x", "https://"],
])("%s after %j is named", (href, label, target) => {
  expect(linkTarget(href, label)).toBe(target);
});

test.each([
  ["https://example.com/a?b#c", "https://example.com/a?b#c"],
  ["https://example.com", "https://example.com"],
  ["https://example.com:8443/x", "https://example.com:8443/x"],
  ["mailto:a@example.com", "a@example.com"],
])("%s with itself as the label is shown once", (href, label) => {
  expect(linkTarget(href, label)).toBeUndefined();
});
