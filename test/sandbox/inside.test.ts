// Whether a path is inside of a folder, by its text alone.
import { expect, test } from "vitest";
import { isInside } from "../../sandbox/paths/inside.ts";

test.each([
  ["/a/b", "/a/b", true],
  ["/a/b", "/a/b/c", true],
  ["/a/b", "/a/bc", false],
  ["/a/b", "/a", false],
  ["/a/b", "/b/a/b", false],
  ["/", "/a", true],
])("of %s, %s: %s", (folder, path, inside) => {
  expect(isInside(folder, path)).toBe(inside);
});
