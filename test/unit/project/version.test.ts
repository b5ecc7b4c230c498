import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "../../../shared/version.ts";

test("the version that the server tells is that of package.json", () => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  expect(manifest).toMatchObject({ version });
});
