import { expect, test } from "vitest";
import { tokenValues } from "../../../functions/mcp/server-list.ts";

test("token values are looked for however they were given, with those that the edge was started with", () => {
  const mcp = JSON.stringify({
    docs: { url: "https://docs.example/mcp", token: "X-Api-Key: of-the-edge" },
    open: { url: "https://open.example/mcp" },
  });
  expect(tokenValues({ mcp }, { plain: "bare", named: "Authorization: Bearer written-out" })).toEqual([
    "Bearer bare",
    "bare",
    "Bearer written-out",
    "written-out",
    "of-the-edge",
  ]);
});

test("for a header with another scheme both forms are looked for, for any other header the whole value", () => {
  expect(
    tokenValues(
      {},
      { scheme: "Authorization: Token written-out", other: "X-Phrase: two words", plain: "a b" },
    ),
  ).toEqual(["Token written-out", "written-out", "two words", "Bearer a b", "a b"]);
});
