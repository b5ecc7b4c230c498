// Commits are signed if the person's own git signs, with a key that no command of the session can reach. A
// repository's own settings cause no signature and run nothing.
// @module-tag long
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { Committed } from "../../shared/delivery.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let served: string;
let home: string;
let keys = 0;

beforeAll(async () => {
  served = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  server = await RunningServer.start({
    workspace: served,
    env: { HOME: home, SSH_AUTH_SOCK: "/no-agent", GNUPGHOME: join(home, ".gnupg") },
  });
});
afterAll(async () => {
  await server.stop();
  if (existsSync(join(home, ".gnupg"))) gnupg("gpgconf", "--kill", "all");
  await removeFolders();
});

const gnupg = (program: string, ...args: string[]) =>
  execFileSync(program, ["--homedir", join(home, ".gnupg"), ...args], { stdio: "ignore" });

const signing = (settings: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(settings))
    hostGit(home, home, "config", "--global", name, value);
};

async function session() {
  const workspace = await mkdtemp(join(served, "workspace-"));
  await writeFile(join(workspace, "a.txt"), "a\n");
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-qm", "first", "--no-gpg-sign"],
  ])
    hostGit(home, workspace, ...args);
  const { id } = await server.client.create({ source: { path: basename(workspace) } });
  await server.client.value(ExecValue, id, "exec", { command: "echo b > b.txt" });
  const args = (more: object) => ({ key: `key-${++keys}`, message: "Second", paths: ["b.txt"], ...more });
  return {
    workspace,
    git: (...words: string[]) => hostGit(home, workspace, ...words).trim(),
    commit: (more: object = {}) => server.client.value(Committed, id, "commit", args(more)),
    refused: (more: object = {}) => server.client.failure(id, "commit", args(more)),
    run: (command: string) => server.client.value(ExecValue, id, "exec", { command }),
  };
}

test("without that setting nothing is signed, whatever the repository says", async () => {
  const { git, workspace, commit } = await session();
  const mark = join(workspace, "mark");
  writeFileSync(join(workspace, "sign"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  for (const name of ["gpg.program", "gpg.ssh.program"]) git("config", name, join(workspace, "sign"));
  git("config", "commit.gpgSign", "true");
  const { commit: id } = await commit();
  expect(git("cat-file", "commit", id)).not.toContain("gpgsig");
  expect(() => readFileSync(mark)).toThrow();
});

const withKeys = test.skipIf(findProgram("ssh-keygen") === undefined);

withKeys(
  "with an SSH key of the person's a commit is signed so that git verifies it, and amended too",
  async () => {
    const key = join(home, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const allowed = join(home, "allowed");
    writeFileSync(allowed, `person@example.org ${readFileSync(`${key}.pub`, "utf8")}`);
    signing({
      "gpg.format": "ssh",
      "user.signingKey": "~/key",
      "commit.gpgSign": "yes",
      "gpg.ssh.allowedSignersFile": allowed,
    });
    const { git, commit } = await session();
    const { commit: first } = await commit();
    expect(git("log", "-1", "--format=%G? %s %P", first)).toBe(`G Second ${git("rev-parse", "HEAD^")}`);
    const { commit: amended } = await commit({ amend: first, message: "Amended", paths: [] });
    expect([git("log", "-1", "--format=%G? %s", amended), git("rev-parse", "HEAD")]).toEqual([
      "G Amended",
      amended,
    ]);
    git("fsck", "--strict");
  },
);

test.skipIf(findProgram("gpg") === undefined)(
  "with an OpenPGP key a commit gets a signature that git verifies; a program named in the settings is not run",
  async () => {
    mkdirSync(join(home, ".gnupg"), { mode: 0o700 });
    const person = "Person <person@example.org>";
    gnupg("gpg", "--batch", "--passphrase", "", "--quick-generate-key", person, "ed25519", "sign", "never");
    const mark = join(home, "named");
    const named = join(home, "named.sh");
    writeFileSync(named, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    signing({ "gpg.format": "openpgp", "user.signingKey": "person@example.org", "commit.gpgSign": "true" });
    signing({ "gpg.program": named, "gpg.openpgp.program": named });
    const { git, commit } = await session();
    const { commit: made } = await commit();
    expect(existsSync(mark)).toBe(false);
    for (const name of ["gpg.program", "gpg.openpgp.program"])
      hostGit(home, home, "config", "--global", "--unset", name);
    expect(git("log", "-1", "--format=%G? %GS %s", made)).toMatch(
      /^[GU] Person <person@example\.org> Second$/,
    );
    git("fsck", "--strict");
  },
);

withKeys.each([
  ["a key that is not there", { "gpg.format": "ssh", "user.signingKey": "~/no-such-key" }],
  ["a key written out", { "gpg.format": "ssh", "user.signingKey": "key::ssh-ed25519 AAAA" }],
  ["X.509", { "gpg.format": "x509", "user.signingKey": "someone" }],
])("what cannot be signed is no commit and no branch, and says what to do: %s", async (_, settings) => {
  signing({ "commit.gpgSign": "1", ...settings });
  const { git, refused } = await session();
  expect(await refused({ branch: "other" })).toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/did not sign the commit: .*turn commit\.gpgSign off/s),
  });
  expect([git("log", "--format=%s"), git("branch", "--format=%(refname:short)")]).toEqual(["first", "main"]);
});

test("commands do not get the addresses of the person's agents", async () => {
  const { run } = await session();
  expect((await run("env")).stdout).not.toMatch(/SSH_AUTH_SOCK|GNUPGHOME/);
});

withKeys("no program that a command put on the server's own PATH runs outside of the jail", async () => {
  const programs = ["git", "ssh-keygen", "rm", "du", "cp", "rg", "bwrap", "stat", "env", "bash"];
  const link = join(home, "bin");
  symlinkSync(join(served, "bin"), link);
  // Folders of the PATH: `chain` leads outside through a link that commands can write, and `single` contains
  // a link to a program in the workspace.
  const [chain, single, outside] = [join(home, "chain"), join(home, "single"), join(home, "outside")];
  for (const folder of [single, outside]) mkdirSync(folder);
  mkdirSync(join(served, "bin"));
  symlinkSync(outside, join(served, "away"));
  symlinkSync(join(served, "away"), chain);
  symlinkSync(join(served, "bin/git"), join(single, "git"));
  mkdirSync(join(served, ".venv/bin"), { recursive: true });
  await server.stop();
  const path = [join(served, ".venv/bin"), link, chain, single, process.env.PATH].join(":");
  server = await RunningServer.start({ workspace: served, env: { HOME: home, PATH: path } });
  signing({ "gpg.format": "ssh", "commit.gpgSign": "true", "user.signingKey": "~/key" });
  const mark = join(home, "mark");
  const { id } = await server.client.create({});
  const planted = `mkdir -p .venv/bin bin; for p in ${programs.join(" ")} mine; do printf '#!/bin/sh\necho %s >> ${mark}\nexit 1\n' $p | tee .venv/bin/$p > bin/$p; done; /bin/chmod +x .venv/bin/* bin/*; ln -sfn bin away`;
  await server.client.value(ExecValue, id, "exec", { command: planted });
  const { git, commit } = await session();
  const { commit: made } = await commit();
  expect(git("log", "-1", "--format=%G? %s", made)).toBe("G Second");
  expect(existsSync(mark)).toBe(false);
  const { stdout } = await server.client.value(ExecValue, id, "exec", { command: "command -v mine" });
  expect(stdout).toContain(".venv/bin/mine");
});
