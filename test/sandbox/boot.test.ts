// When a server refuses to start, where it reads its token, and that it calls something a jail only if it confines.
// @module-tag long
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { freshFolder, RunningServer, removeFolders, token } from "./running-server.ts";

afterAll(removeFolders);

describe("a server does not start", () => {
  const refusal = (settings: Parameters<typeof RunningServer.start>[0]) =>
    RunningServer.start(settings).then(
      async (server) => `started ${await server.stop()}`,
      (error: Error) => error.message,
    );

  test("with the root of the file system, a file or nothing as its workspace", async () => {
    const state = await freshFolder("state");
    expect(await refusal({ state, workspace: "/" })).toContain(
      "The workspace is the root of the file system.",
    );
    for (const workspace of ["/etc/passwd", join(state, "missing")])
      expect(await refusal({ state, workspace })).toContain(`The workspace ${workspace} is not a folder.`);
  });

  test("with a state folder inside its workspace, or around it", async () => {
    const workspace = await freshFolder("workspace");
    const inside = join(workspace, "state");
    expect(await refusal({ workspace, state: inside })).toContain(
      `The state folder ${inside} lies inside the workspace.`,
    );
    expect(await refusal({ workspace, state: dirname(workspace) })).toContain(
      `The state folder ${dirname(workspace)} holds the workspace.`,
    );
  });
});

describe("--token-file", () => {
  test("names the file with the token, which then counts and not SANDBOX_TOKEN", async () => {
    const file = join(await freshFolder("token"), "token");
    writeFileSync(file, "a-token-from-a-file-of-at-least-32-characters\n");
    const server = await RunningServer.start({ args: ["--token-file", file] });
    const asked = (token: string) =>
      fetch(`${server.url}/v1/capabilities`, { headers: { authorization: `Bearer ${token}` } });
    expect((await asked("a-token-from-a-file-of-at-least-32-characters")).status).toBe(200);
    expect((await asked(token)).status).toBe(401);
    await server.stop();
  });

  test.each([
    ["missing", undefined, "cannot be read"],
    ["short", "too short", "The token has 9 characters"],
  ])("that is %s ends the start, and the reason is given without the token", async (name, text, reason) => {
    const file = join(await freshFolder("token"), name);
    if (text !== undefined) writeFileSync(file, text);
    const started = RunningServer.start({ args: ["--token-file", file] });
    await expect(started).rejects.toThrow(reason);
    if (text !== undefined) await expect(started).rejects.not.toThrow(text);
  });
});

const bwrap = findProgram("bwrap");

/** Shell functions that change `args`: without one, one in place of another, and the folder of the last one shown. */
const functions = `
swap() { local i; for i in "\${!args[@]}"; do [ "\${args[i]}" = "$1" ] && args[i]=$2; done; }
without() { local kept=() one; for one in "\${args[@]}"; do [ "$one" = "$1" ] || kept+=("$one"); done; args=("\${kept[@]}"); }
withoutFilter() { local i; for i in "\${!args[@]}"; do [ "\${args[i]}" = --seccomp ] && args=("\${args[@]:0:i}" "\${args[@]:i+2}") && break; done; }
withoutNode() { local i; for i in "\${!args[@]}"; do args[i]=\${args[i]//node -e 0/false}; done; }
showLast() { local d=\${args[-1]%/*} i; [ -e "$d/secret" ] || return; for i in "\${!args[@]}"; do [ "\${args[i]}" = --chdir ] && args=("\${args[@]:0:i}" --ro-bind "$d" "$d" "\${args[@]:i}") && break; done; }
`;

/** What a server says of itself that finds, in place of bubblewrap, a script which starts it with other arguments. */
async function withWrapper(change: string) {
  const folder = await freshFolder("bin");
  const script = `#!/bin/bash\nargs=("$@")\n${functions}${change}\nexec ${bwrap} "\${args[@]}"\n`;
  writeFileSync(join(folder, "bwrap"), script);
  chmodSync(join(folder, "bwrap"), 0o755);
  const server = await RunningServer.start({ env: { PATH: `${folder}:${process.env.PATH}` } });
  const { body } = await server.client.get("/capabilities");
  await server.stop();
  return body;
}

describe.runIf(bwrap !== undefined)("bubblewrap", () => {
  test("is a jail as it is", async () => {
    expect(await withWrapper("")).toMatchObject({ isolation: "bubblewrap", seccomp: true });
  });

  test.each([
    ["it fails", "exit 1"],
    ["a workspace that may only be read can be written to", "swap --ro-bind --bind"],
    ["the workspace cannot be written to", "swap --bind --ro-bind"],
    ["the machine's network is shared", "without --unshare-net"],
    ["the state folder is shown", "showLast"],
    ["node does not run", "withoutNode"],
  ])("is none where %s", async (_, change) => {
    expect(await withWrapper(change)).toMatchObject({ isolation: "none", seccomp: false });
  });

  test("has no filter where it installs none", async () => {
    expect(await withWrapper("withoutFilter")).toMatchObject({ isolation: "bubblewrap", seccomp: false });
  });
});
