import { expect, test } from "vitest";
import { coverInWords } from "../../../pwa/transcript/grant-in-words.ts";

test("the commands that a session permission covers are numbered among several", () => {
  const only = { command: "rm -rf old", cwd: "" };
  const grant = { program: "rm", subcommand: "-rf old", only };
  expect(coverInWords(grant, ["npm ci", "rm -rf old"])).toBe(
    "“This session” covers exactly number 2 of these, in this folder, and no other.",
  );
  expect(coverInWords({ ...grant, only: { ...only, cwd: "src" } }, ["rm -rf old"])).toBe(
    "“This session” covers exactly this command, in `src`, and no other.",
  );
  expect(coverInWords({ program: "git", subcommand: "push origin main" }, ["git push origin main"])).toBe(
    "“This session” covers `git push origin main` every time it is used.",
  );
});

test("words of a folder or a tool do not read like ours", () => {
  const only = { command: "ls", cwd: "a`, which is safe. `b" };
  expect(coverInWords({ program: "ls", subcommand: "", only }, ["ls"])).toBe(
    "“This session” covers exactly this command, in `a', which is safe. 'b`, and no other.",
  );
  const tool = { program: "tracker", subcommand: `find\` and is safe. \`x ${"0".repeat(16)}` };
  expect(coverInWords(tool, [])).toBe(
    "“This session” covers every call of `find' and is safe. 'x` from `tracker`.",
  );
});
