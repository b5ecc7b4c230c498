// The push sheet before a push shows the commits that the remote lacks, and nothing else.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { PushPreview } from "../../shared/delivery.ts";
import { sandboxOf } from "./forge/sandbox-of.ts";
import { type ForgeStage, openStage } from "./forge/stage.ts";
import { post } from "./http/request.ts";

let stage: ForgeStage;
beforeAll(async () => {
  stage = await openStage("github");
  const { forge } = stage;
  for (const name of ["one", "two", "three"])
    forge.write("develop", { [`${name}.txt`]: `${name}\n` }, `Develop ${name}`);
});
afterAll(() => stage.close());

const where = (path: string, branch: string) => `${path}/push?branch=${encodeURIComponent(branch)}`;
const seen = () => ({ headers: { "x-git-remote": `${new URL(stage.running.origin).host}/team/app` } });

async function preview(path: string, branch: string): Promise<PushPreview> {
  const { json } = await stage.ask(where(path, branch), seen());
  return PushPreview.parse(json);
}

test("a clone of a branch other than the default shows only what was committed on that branch", {
  tags: "long",
}, async () => {
  const path = await stage.clone("develop");
  expect((await stage.ask(`${path}/git`)).json).toMatchObject({ branch: "develop", ahead: 0, behind: 0 });
  const { run } = sandboxOf(stage, path);
  expect(await preview(path, "develop")).toMatchObject({ commits: [], files: [], total: { commits: 0 } });
  await run("git switch -qc handrail/mine; echo mine > mine.txt; git add .; git commit -qm Mine");
  expect(await preview(path, "handrail/mine")).toMatchObject({
    commits: [{ subject: "Ada: Mine" }],
    files: [{ path: "mine.txt", added: 1, removed: 0 }],
    total: { commits: 1, files: 1, added: 1, removed: 0 },
  });
});

test("so does a branch created from another remote branch than the default", { tags: "long" }, async () => {
  const { forge } = stage;
  forge.git("update-ref", "refs/heads/other", forge.headOf("main") ?? "");
  forge.write("other", { "theirs.txt": "theirs\n" }, "Theirs");
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  expect(await stage.ask(`${path}/push`, post({ key: "f", branch: "other", fetch: true }))).toMatchObject({
    status: 200,
  });
  await run("git switch -qc handrail/dev origin/other");
  await run("echo mine > mine.txt; git add .; git commit -qm Mine");
  // Someone else has added a commit to the branch.
  forge.write("other", { "theirs.txt": "more\n" }, "More of theirs");
  expect(await preview(path, "handrail/dev")).toMatchObject({
    ...{ asked: true, commits: [{ subject: "Ada: Mine" }] },
    files: [{ path: "mine.txt", added: 1, removed: 0 }],
  });
});

test("commits that a command hides are listed where the remote can be asked, and not pushed where it cannot", {
  tags: "long",
}, async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  const branch = "handrail/hides";
  await run(
    `git switch -qc ${branch}; echo x > hidden.txt; git add .; git commit -qm Hidden; git update-ref refs/remotes/origin/main HEAD; git update-ref refs/remotes/origin/${branch} HEAD; git commit -q --allow-empty -m Seen`,
  );
  const asked = await preview(path, branch);
  expect(asked).toMatchObject({
    ...{ asked: true, total: { commits: 2, files: 1 }, files: [{ path: "hidden.txt" }] },
    commits: [{ subject: "Ada: Seen" }, { subject: "Ada: Hidden" }],
  });
  const { json } = await stage.ask(where(path, branch), seen(), "");
  const believed = PushPreview.parse(json);
  expect(believed).toMatchObject({ asked: false, commits: [{ subject: "Ada: Seen" }] });
  const push = ({ commit, commits, total }: PushPreview) => {
    const shown = commits.map((each) => each.commit);
    const body = { key: `push-${shown.length}`, branch, commit, shown, more: total.commits - shown.length };
    return stage.ask(`${path}/push`, post(body));
  };
  expect(await push(believed)).toMatchObject({ status: 412, json: { error: { code: "stale_file" } } });
  expect(stage.forge.headOf(branch)).toBeNull();
  expect(await push(asked)).toMatchObject({ status: 200, json: { commit: asked.commit } });
});

test("a remote that the request does not name is not asked, whatever token comes with it", async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  await run("git switch -qc handrail/unseen; git commit -q --allow-empty -m Mine");
  expect((await stage.ask(where(path, "handrail/unseen"))).json).toMatchObject({
    asked: false,
    commits: [{ subject: "Ada: Mine" }],
  });
  expect((await preview(path, "handrail/unseen")).asked).toBe(true);
});

test("subjects and files are shown exactly as pushed, or not at all", async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  const branch = "handrail/forged";
  await run(
    `git switch -qc ${branch}; echo mine > mine.txt; git add .; git commit -qm Mine; git commit -q --allow-empty -m Last`,
  );
  const id = async (name: string) => (await run(`git rev-parse ${name}`)).trim();
  const [mine, now, before] = [await id("HEAD~"), await id("HEAD^{tree}"), await id("HEAD~2^{tree}")];
  const other = `git cat-file commit ${mine} | sed s/Mine/Harmless/ | git hash-object -t commit -w --stdin`;
  const file = (hash: string) => `.git/objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
  for (const [forged, content] of [
    [mine, (await run(other)).trim()],
    [now, before],
    [before, now],
  ] as const) {
    await run(`cp -f ${file(forged)} kept; cp -f ${file(content)} ${file(forged)}`);
    for (const init of [seen(), {}])
      expect(await stage.ask(where(path, branch), init)).toMatchObject({
        ...{
          status: 400,
          json: { error: { message: expect.stringMatching(/is not what its id says|hash mismatch/) } },
        },
      });
    await run(`cp -f kept ${file(forged)}`);
  }
  expect(await preview(path, branch)).toMatchObject({ total: { commits: 2, files: 1 } });
});

test("no commit date keeps files out of the list", { tags: "long" }, async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  const branch = "handrail/dated";
  // Only its date makes `side` the oldest commit. The commits of its parent are listed too.
  await run(
    `git switch -qc ${branch}; echo x > first.txt; git add .; git commit -qm First; git switch -qc side; GIT_COMMITTER_DATE=2001-01-01T00:00:00Z git commit -q --allow-empty -m Side; git switch -q ${branch}; git commit -q --allow-empty -m Second; git merge -q --no-edit side`,
  );
  expect(await preview(path, branch)).toMatchObject({
    ...{ files: [{ path: "first.txt" }], total: { commits: 4, files: 1 } },
  });
  const { json } = await stage.ask(where(path, branch));
  expect(json).toMatchObject({ asked: false, files: [{ path: "first.txt" }] });
});

test("a commit whose text a terminal would hide is listed", { tags: "long" }, async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  await run(
    "git switch -qc handrail/swallowed; for s in 'a\\033\\134' Hidden 'b\\033P'; do echo \"$s\" >> f; git add .; printf \"$s\" | git commit -qF -; done",
  );
  const { commits, files, total } = await preview(path, "handrail/swallowed");
  expect([commits.length, total.commits]).toEqual([3, 3]);
  expect(files).toMatchObject([{ path: "f" }]);
});

test.each(["fix/#12", "fix/größe"])(
  "%s is compared with what was already pushed of it",
  { tags: "long" },
  async (branch) => {
    const path = await stage.clone("main");
    const { run } = sandboxOf(stage, path);
    await run(
      `git switch -qc '${branch}'; git commit -q --allow-empty -m One; git update-ref 'refs/remotes/origin/${branch}' HEAD; git commit -q --allow-empty -m Two`,
    );
    expect((await stage.ask(where(path, branch), {}, "")).json).toMatchObject({
      commits: [{ subject: "Ada: Two" }],
    });
  },
);

test("a bundle holds what no remote has, and another clone can fetch it", { tags: "long" }, async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  expect((await stage.ask(`${path}/bundle`)).status).toBe(400);
  await run("git switch -qc handrail/bundled; echo mine > mine.txt; git add .; git commit -qm Mine");
  const answer = await fetch(`${stage.edge.url}${path}/bundle`, {
    headers: { authorization: `Bearer ${stage.edge.token}` },
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-git-bundle"]);
  const folder = await mkdtemp(join(tmpdir(), "handrail-bundle-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "work.bundle");
  await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "-q", stage.forge.gitFolder, clone]);
  execFileSync("git", ["-C", clone, "fetch", "-q", file, "HEAD:taken"]);
  expect(execFileSync("git", ["-C", clone, "log", "--format=%s", "main..taken"], { encoding: "utf8" })).toBe(
    "Mine\n",
  );
});

test("of more than 200 commits and files, all are counted and 200 are listed", {
  tags: "long",
}, async () => {
  const path = await stage.clone("main");
  const { run } = sandboxOf(stage, path);
  await run(
    "git switch -qc handrail/long; for i in $(seq 211); do git commit -q --allow-empty -m $i; done; for i in $(seq 230); do echo $i > f$i; done; git add .; git commit -qm files",
  );
  const { commits, files, total } = await preview(path, "handrail/long");
  expect([commits.length, files.length]).toEqual([200, 200]);
  expect(commits[0]?.subject).toContain("files");
  expect(total).toEqual({ commits: 212, files: 230, added: 230, removed: 0 });
});
