import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lockfiles, missingPlatforms } from "../../../scripts/lock-platforms.ts";

describe("package-lock.json", () => {
  test.each(lockfiles)("%s lists the binaries of every platform, or `npm ci` refuses it", (path) => {
    const lock = JSON.parse(readFileSync(path, "utf8"));
    expect([...missingPlatforms(lock.packages).keys()]).toEqual([]);
  });

  test("a missing binary gets its platform from its name", () => {
    const packages = {
      "node_modules/x": { dev: true, optionalDependencies: { "@x/linux-x64-musl": "1.0.0" } },
    };
    expect([...missingPlatforms(packages)]).toEqual([
      [
        "node_modules/@x/linux-x64-musl",
        { version: "1.0.0", cpu: ["x64"], os: ["linux"], libc: ["musl"], dev: true, optional: true },
      ],
    ]);
  });
});
