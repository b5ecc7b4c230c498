import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { packageManifest } from "../../../scripts/pack.ts";
import { checksums, notesFor } from "../../../scripts/release.ts";
import { version } from "../../../shared/version.ts";

const changelog =
  "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- old\n";

test("the notes of a release are its section of the changelog, and before it is dated the unreleased one", () => {
  expect(notesFor("1.0.0", changelog)).toEqual({
    heading: "[1.0.0] - 2026-01-01",
    text: "### Added\n\n- old",
  });
  expect(notesFor("2.0.0", changelog)).toEqual({ heading: "[Unreleased]", text: "- new" });
  expect(() => notesFor("2.0.0", "# Changelog\n")).toThrow(
    "CHANGELOG.md has no section for 2.0.0; write one.",
  );
  const own = fileURLToPath(new URL("../../../CHANGELOG.md", import.meta.url));
  expect(notesFor(version, readFileSync(own, "utf8")).text).not.toBe("");
});

test("checksums are written like sha256sum's", () => {
  const folder = mkdtempSync(join(tmpdir(), "handrail-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "a"), "hello\n");
  writeFileSync(join(folder, "SHA256SUMS"), "old");
  expect(checksums(folder)).toBe("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  a\n");
});

test("the package names the repository where GitHub builds it, as npm's provenance requires, and none elsewhere", () => {
  const env = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "somebody/handrail" };
  expect(packageManifest(env).repository).toEqual({
    type: "git",
    url: "git+https://github.com/somebody/handrail.git",
  });
  expect(packageManifest({})).not.toHaveProperty("repository");
});

test("the workflow publishes the package after everything else that can fail", () => {
  const path = fileURLToPath(new URL("../../../.github/workflows/release.yml", import.meta.url));
  const commands = [...readFileSync(path, "utf8").matchAll(/- (?:run|uses): (.*)/g)].map(([, text]) => text);
  expect(commands.slice(-3)).toEqual([
    expect.stringMatching(/^gh release create .*--draft/),
    expect.stringMatching(/^npm publish release\/handrail-\*\.tgz --provenance/),
    expect.stringMatching(/^gh release edit .*--draft=false/),
  ]);
});
