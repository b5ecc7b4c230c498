// A repository's git hooks during a commit from the phone: off unless the person allows them, run on the
// content of the commit, and able to refuse it.
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { sandboxOf } from "./forge/sandbox-of.ts";
import { type ForgeStage, openStage, refusal } from "./forge/stage.ts";
import { post } from "./http/request.ts";

let stage: ForgeStage;
let path: string;
let run: (command: string) => Promise<string>;
let keys = 0;

/** The two changed lines are so far apart that they are two hunks. */
const lines = (first: string, last: string) => [first, ...Array(30).fill("same"), last].join("\n");
const commit = (body: object) =>
  stage.ask(`${path}/commit`, post({ key: `h-${++keys}`, message: "One", ...body }));

beforeAll(async () => {
  stage = await openStage("github");
  stage.forge.write("main", { "long.txt": `${lines("a", "z")}\n` }, "Long");
});
afterAll(() => stage.close());
beforeEach(async () => {
  path = await stage.clone("main");
  ({ run } = sandboxOf(stage, path));
});

/**
 * Written as from the person's own terminal, because settings and hooks are read-only for the session's
 * commands.
 */
async function hook(name: string, text: string): Promise<void> {
  const hooks = join(stage.edge.state, "sandboxes", sandboxOf(stage, path).id, "workspace/.git/hooks");
  await mkdir(hooks, { recursive: true });
  await writeFile(join(hooks, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

test("no hook runs without the person's permission", { tags: "long" }, async () => {
  await hook("pre-commit", "exit 1");
  await run("echo new > new.txt");
  expect(await commit({ paths: ["new.txt"] })).toMatchObject({ status: 200, json: { files: ["new.txt"] } });
});

test("an allowed hook sees what is committed and nothing else, and a refusal shows its own output", async () => {
  await hook(
    "pre-commit",
    'git diff --cached --name-only; git diff --cached | grep "^[+-][a-z]"; echo "No z, please." >&2; git diff --cached | grep -q "^+y" && exit 1; exit 0',
  );
  await run("sed -i '1s/.*/b/; $s/.*/y/' long.txt; echo other > other.txt");
  const { text: diff } = await stage.ask(`${path}/diff?since=HEAD`);
  const [, seen = ""] = /\nindex (\S+) 100644\n--- a\/long.txt/.exec(diff) ?? [];
  const hunk = (n: number) => ({ hunks: [{ path: "long.txt", seen, hunk: n }], hooks: true });
  const { words } = refusal(await commit(hunk(2)));
  expect(words).toMatch(/A hook refused the commit.*long\.txt\s+-z\s+\+y\s+No z, please\./s);
  expect(words).not.toContain("other.txt");
  // With these settings git itself would show one hunk, without prefixes.
  const config = join(stage.edge.state, "sandboxes", sandboxOf(stage, path).id, "workspace/.git/config");
  await appendFile(config, "[diff]\n\tcontext = 40\n\tinterHunkContext = 40\n\tnoprefix = true\n");
  await hook("pre-commit", "! git diff --cached -U3 | grep '^+y'");
  const done = await commit(hunk(1));
  expect([done.status, done.json]).toMatchObject([200, { files: ["long.txt"] }]);
  expect(await run("git show --format= HEAD")).toContain("+b\n");
  expect(await run("git show HEAD:long.txt | tail -1; git status --short")).toBe(
    "z\n M long.txt\n?? other.txt\n",
  );
});

test("a hook's change to the message is used, one to the files is refused; one key runs hooks once", {
  tags: "long",
}, async () => {
  await hook("commit-msg", 'echo >> "$1"; echo "Signed-off-by: Ada" >> "$1"');
  await run("echo new > new.txt");
  const body = { key: "same", paths: ["new.txt"], hooks: true };
  const first = await commit(body);
  expect([first.status, (await commit(body)).json]).toEqual([200, first.json]);
  expect(await run("git log --format=%B -1; git log --format=%H origin/main..")).toMatch(
    /^One\nSigned-off-by: Ada\n\n[0-9a-f]{40}\n$/,
  );
  const amend = (await run("git rev-parse HEAD")).trim();
  await hook("commit-msg", 'echo "Reviewed-by: Bo" >> "$1"');
  const amended = await commit({ amend, message: "", paths: [], hooks: true });
  expect(amended.status).toBe(200);
  expect(await run("git log --format=%B -1")).toBe("One\nSigned-off-by: Ada\nReviewed-by: Bo\n\n");
  await hook("pre-commit", "echo formatted > more.txt");
  await run("echo more > more.txt");
  expect(refusal(await commit({ paths: ["more.txt"], hooks: true }))).toMatchObject({
    status: 400,
    words: expect.stringContaining("changed what was to be committed"),
  });
});
