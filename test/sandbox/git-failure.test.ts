// Errors made from git's failures: if the workspace changed meanwhile, the caller may try again.
import { expect, test } from "vitest";
import { gitFailure } from "../../sandbox/workspace/git-process.ts";

test.each([
  "fatal: unable to stat 'd/f.txt': No such file or directory",
  "error: unable to create file d/f.txt: File exists\nerror: unable to create file d/g.txt: Not a directory",
  "warning: unable to unlink 'd': Is a directory",
  "fatal: pathspec './d/f.txt' is beyond a symbolic link",
  "fatal: pathspec 'd/f.txt' did not match any files",
  "fatal: failed to read 18 bytes from 'd/f.txt'",
])("files that changed while git worked are `stale_file`: %s", (stderr) => {
  expect(gitFailure(["read-tree"], stderr)).toMatchObject({ code: "stale_file", retryable: true });
});

test.each([
  "fatal: not a git repository: '/state/snapshots.git'",
  "fatal: Unable to create '/state/snapshots.git/index.lock': File exists.",
  "error: unable to write file /state/snapshots.git/objects/ab: No such file or directory",
  "fatal: bad object HEAD",
])("anything else is `internal`, and names the verb: %s", (stderr) => {
  const failure = gitFailure(
    ["-c", "core.bigFileThreshold=1", "--literal-pathspecs", "add", "--", "."],
    stderr,
  );
  expect([failure.code, failure.message]).toEqual(["internal", "git add failed in the sandbox."]);
});
