// A command can store other content under an id in the repository's object folder, and git does not check it.
// Objects that are brought back from a worktree or committed must match their ids, or they are refused.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { Committed } from "../../shared/delivery.ts";
import { ErrorBody } from "../../shared/errors.ts";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { WorktreeState } from "../../shared/worktree.ts";
import type { RunningServer } from "./running-server.ts";
import { servedRepositories } from "./served-repositories.ts";

const repository = servedRepositories({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "b\n" });
const { git, put } = repository;

let server: RunningServer;
let workspace: string;
let id: string;
const text = (name: string) => readFile(join(workspace, name), "utf8");
const run = async (command: string) =>
  (await server.client.value(ExecValue, id, "exec", { command })).stdout.trim();
const look = async () => z.parse(WorktreeState, (await server.client.get(`/sandboxes/${id}/worktree`)).body);
const back = (body: object = {}) =>
  server.client.post(`/sandboxes/${id}/bring-back`, { how: "merge", ...body });
/** A shell function that puts the content of the object `$2` in the place of the object `$1`. */
const forge = `forge() { at() { echo "$(git rev-parse --git-common-dir)/objects/$(echo "$1" | cut -c1-2)"; }; mkdir -p "$(at $1)"; cp -f "$(at $2)/$(echo $2 | cut -c3-)" "$(at $1)/$(echo $1 | cut -c3-)"; }; evil=$(echo evil | git hash-object -w --stdin); `;
const refusal = (answer: { status: number; body: unknown }) => {
  expect([answer.status, z.parse(ErrorBody, answer.body).error.message]).toEqual([
    400,
    expect.stringContaining("is not what its id says"),
  ]);
  expect([git("log", "--format=%s", "-1"), git("status", "--short")]).toEqual([newest, ""]);
};
let newest: string;

beforeEach(async () => {
  ({ server, workspace } = repository);
  newest = "first";
  id = (await server.client.create({ source: { path: repository.path }, worktree: { when: "always" } })).id;
});

test.each([{ how: "merge" }, { how: "pick", paths: ["c.txt"] }])(
  "a file is not brought back ($how) with content that differs from the worktree's",
  async (how) => {
    await run(`${forge}echo new > c.txt; forge $(git hash-object c.txt) $evil`);
    refusal(await back({ ...how, seen: (await look()).seen }));
    expect(existsSync(join(workspace, "c.txt"))).toBe(false);
  },
);

test("a file whose content also exists in the folder is checked as well", { tags: "long" }, async () => {
  await run(`${forge}cp b.txt c.txt; rm -f $(git rev-parse --git-common-dir)/objects/61/780798*`);
  await run(`${forge}forge $(git hash-object b.txt) $evil`);
  refusal(await back({ seen: (await look()).seen }));
});

test("a commit below the newest is not brought back with another message", { tags: "long" }, async () => {
  await run(
    `${forge}git commit -q --allow-empty -m middle; echo new > c.txt; git add c.txt; git commit -q -m last; forge $(git rev-parse HEAD~) $(git commit-tree -m evil -p HEAD~2 HEAD~^{tree})`,
  );
  refusal(await back({ seen: (await look()).seen }));
});

test("a folder of files is not brought back with other files", { tags: "long" }, async () => {
  await run(
    `${forge}mkdir d; echo new > d/c.txt; git add d; forge $(git write-tree --prefix=d/) $(printf '100644 blob %s\\tx.txt\\n' $evil | git mktree)`,
  );
  refusal(await back({ seen: (await look()).seen }));
  expect(existsSync(join(workspace, "d"))).toBe(false);
});

test("a merge accepts no forged lines for the folder's version or the common base", {
  tags: "long",
}, async () => {
  for (const [name, forged] of [
    ["theirs", "HEAD:a.txt"],
    ["base", "HEAD~:a.txt"],
  ]) {
    if (name === "theirs") {
      await put("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
      newest = "theirs";
      git("commit", "-qam", newest);
      await run("sed -i s/9/nine/ a.txt");
    }
    const object = git("rev-parse", forged ?? "");
    const kept = join(workspace, ".git/objects", object.slice(0, 2), object.slice(2));
    const bytes = await readFile(kept);
    await run(
      `${forge}evil=$(printf '${name}\\n2\\nevil\\n4\\n5\\n6\\n7\\n8\\n9\\n' | git hash-object -w --stdin); forge ${object} $evil`,
    );
    refusal(await back());
    await run(`chmod u+w $(git rev-parse --git-common-dir)/objects/${object.slice(0, 2)}/*`);
    await writeFile(kept, bytes);
  }
  expect((await back()).body).toMatchObject({ done: true, files: ["a.txt"] });
  expect(await text("a.txt")).toBe("one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
});

test.each(["--assume-unchanged", "--skip-worktree"])(
  "the index cannot hide that a file differs (%s)",
  async (flag) => {
    await run(
      `${forge}git update-index --cacheinfo 100644,$evil,b.txt; git update-index ${flag} b.txt; echo new > c.txt`,
    );
    const { seen, files } = await look();
    expect(files.map(({ path }) => path)).toEqual(["c.txt"]);
    expect((await back({ seen })).body).toMatchObject({ done: true, files: ["c.txt"] });
    expect(await text("b.txt")).toBe("b\n");
  },
);

describe("a commit in the folder", () => {
  const nine = (first: string, third = "3") => `${first}\n2\n${third}\n4\n5\n6\n7\n8\n9\n`;
  let key = 0;
  const request = (args: object) => ({ key: `key-${++key}`, message: "Change it", ...args });
  const commit = (args: object) => server.client.value(Committed, id, "commit", request(args));
  const refused = async (args: object, code = "invalid_request", words = "is not what its id says") => {
    const before = git("rev-parse", "HEAD");
    expect(await server.client.failure(id, "commit", request(args))).toMatchObject({
      ...{ code, message: expect.stringContaining(words) },
    });
    expect(git("rev-parse", "HEAD")).toBe(before);
  };
  /** The first hunk of `a.txt`, as the phone names it. */
  const hunk = async () => {
    const args = { verb: "diff", since: "HEAD" };
    const { stdout } = await server.client.value(GitValue, id, "git", args, "readonly");
    return { path: "a.txt", seen: /^index (\S+)/m.exec(stdout)?.[1], hunk: 1 };
  };
  const begin = async () => {
    id = (await server.client.create({ source: { path: repository.path } })).id;
  };

  test("does not contain lines forged under the id of the newest commit's file", {
    tags: "long",
  }, async () => {
    // The snapshot store does not have the committed text of files that were changed before the session.
    await put("a.txt", nine("one"));
    await begin();
    await run(
      `${forge}evil=$(printf '${nine("1", "evil").replaceAll("\n", "\\n")}' | git hash-object -w --stdin); forge ${git("rev-parse", "HEAD:a.txt")} $evil`,
    );
    await refused({ hunks: [await hunk()] });
  });

  test("by hunk does not contain what was planted under its future id", async () => {
    await begin();
    await put("a.txt", nine("one"));
    await run(`${forge}forge $(git hash-object a.txt) $evil`);
    await refused({ hunks: [await hunk()] });
    await refused({ paths: ["a.txt"] });
  });

  test("is not undone or amended to a forged one", { tags: "long" }, async () => {
    await begin();
    await put("a.txt", nine("one"));
    const { commit: made } = await commit({ paths: ["a.txt"] });
    await run(
      `${forge}forge ${made} $(git commit-tree -m forged -p $(git commit-tree -m evil ${made}^{tree}) ${made}^{tree})`,
    );
    await refused({ undo: made }, "stale_file", "has changed");
    await refused({ amend: made, paths: [] }, "stale_file", "has changed");
  });
});
