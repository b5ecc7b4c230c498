import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stateFolder } from "../../../scripts/launch/state-folder.ts";

let root = "";
const tmpBefore = process.env.TMPDIR;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "handrail-states-")));
  process.env.TMPDIR = root;
});
afterEach(() => {
  if (tmpBefore === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = tmpBefore;
  rmSync(root, { recursive: true, force: true });
});
/** A path below a file, which not even root can create. */
const unmakeable = "/dev/null/state";

test("where the clone itself is the workspace, the state goes elsewhere and nothing is written inside", () => {
  mkdirSync(join(root, "clone"));
  symlinkSync(join(root, "clone"), join(root, "link"));
  const usual = [join(root, "link/.handrail/state"), join(root, "home/state")];
  expect(stateFolder(undefined, usual, join(root, "clone"))).toEqual({
    path: join(root, "home/state"),
    isTemporary: false,
  });
  expect(existsSync(join(root, "clone/.handrail"))).toBe(false);
});

test("where the home folder cannot be written, the state is temporary and private", () => {
  const { path, isTemporary } = stateFolder(undefined, [unmakeable], undefined);
  expect(isTemporary).toBe(true);
  expect(path).toBe(join(root, `handrail-${process.getuid?.()}`));
  chmodSync(path, 0o777);
  expect(() => stateFolder(undefined, [unmakeable], undefined)).toThrow(
    /cannot be written; choose another with --state/,
  );
});

test("a requested folder that cannot be written is refused, not replaced", () => {
  expect(() => stateFolder(unmakeable, [join(root, "usual")], undefined)).toThrow(
    /^HANDRAIL_STATE is .* cannot be made or written; choose another\.$/,
  );
});

test("a workspace that contains every usual place is refused", () => {
  expect(() => stateFolder(undefined, [join(root, "state")], root)).toThrow(/inside the workspace/);
});
