import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { checkPort, freePort } from "../../../scripts/launch/ports.ts";
import { service } from "../../../scripts/launch/service.ts";
import { launchdAgent, systemdUnit } from "../../../scripts/launch/service-files.ts";

let home = "";
let port = 0;
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "handrail-service-")));
  port = await freePort("127.0.0.1");
  for (const name of ["bin", "a repo", "package/dist"]) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, "package/dist/handrail.mjs"), "");
  writeFileSync(join(home, "package/package.json"), "{}");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A server that answers once as the app does, and then exits. */
const answerer = `require("node:http").createServer((_, response) => {
  response.end('{"ok":true,"version":"0.0.0"}', () => process.exit(0));
}).listen(Number(process.argv[2]), "127.0.0.1");`;

/** A stand-in for one of the system's own programs, which records its arguments. `then`: lines of shell. */
function standIn(name: string, then: string): void {
  const path = join(home, "bin", name);
  writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> "${home}/asked"\n${then}\n`);
  chmodSync(path, 0o755);
}

/** `starts`: shell code for the start of a service. */
function systemctl(starts: string): void {
  standIn(
    "systemctl",
    `case "$*" in
*is-active*) exit 3 ;;
*restart*) ${starts} ;;
*"-p ActiveState"*) cat "${home}/state" 2>/dev/null || echo ActiveState=active ;;
esac`,
  );
  standIn("loginctl", "echo no");
}

function starting(): string {
  writeFileSync(join(home, "answers.cjs"), answerer);
  return `"${process.execPath}" "${home}/answers.cjs" ${port} >/dev/null 2>&1 &`;
}

const asked = () => (existsSync(join(home, "asked")) ? readFileSync(join(home, "asked"), "utf8") : "");

interface Asked {
  platform?: NodeJS.Platform;
  env?: Record<string, string>;
  variables?: Record<string, string>;
  node?: string;
}

async function run(
  action: "install" | "uninstall" | "status",
  { platform = "linux", env = {}, variables, node = process.execPath }: Asked = {},
): Promise<{ code: number; said: string }> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  const given = variables ?? { HANDRAIL_WORKSPACE: join(home, "a repo"), PORT: String(port) };
  const code = await service(action, {
    root: join(home, "package"),
    command: "npx handrail",
    variables: given,
    env: { HOME: home, PATH: `${join(home, "bin")}:/usr/bin:/bin`, ...env },
    platform,
    waitMs: 20_000,
    node,
  });
  return { code, said: lines.join("\n") };
}

const unitFile = () => join(home, ".config/systemd/user/handrail.service");

test("on Linux it copies the package, writes a user unit for its owner alone, starts it, waits for its answer, and says so", async () => {
  systemctl(starting());
  const { code, said } = await run("install", { env: { OPENAI_API_KEY: "sk" } });
  expect(code).toBe(0);
  expect(said).toContain(`wrote      ${unitFile()}`);
  expect(said).toContain("ran        systemctl --user restart handrail.service");
  const token = readFileSync(join(home, ".local/state/handrail/token"), "utf8").trim();
  expect(said).toContain(
    `answers    http://127.0.0.1:${port}\npair       http://127.0.0.1:${port}/#pair=${token}`,
  );
  expect(said).toContain("log        journalctl --user -u handrail -f");
  expect(said).toContain("to have it run always: loginctl enable-linger");
  expect(said).toContain("note       OPENAI_API_KEY is set in this shell, which the service does not have");
  expect(statSync(unitFile()).mode & 0o777).toBe(0o600);
  const copy = join(home, ".local/share/handrail/app/dist/handrail.mjs");
  expect(existsSync(copy)).toBe(true);
  expect(readFileSync(unitFile(), "utf8")).toContain(`ExecStart=:"${process.execPath}" "${copy}"`);
  expect(readFileSync(unitFile(), "utf8")).toContain(`Environment="HANDRAIL_WORKSPACE=${home}/a repo"`);
  expect((await run("status")).said).toContain("installed, and not running");
  expect((await run("uninstall")).said).toContain(`removed    ${unitFile()}`);
  expect(existsSync(unitFile())).toBe(false);
  expect(asked()).toContain("disable --now handrail.service");
  expect(await run("status")).toMatchObject({ code: 1 });
});

test("a service that ends at once is reported with the last line of its log", async () => {
  systemctl(`echo SubState=auto-restart > "${home}/state"`);
  standIn("journalctl", "echo first; echo 'HANDRAIL_MODEL is not set.'");
  const { code, said } = await run("install");
  expect(code).toBe(1);
  expect(said).toContain(
    "not started: HANDRAIL_MODEL is not set.\nlog        journalctl --user -u handrail -f\nremove it  npx handrail service uninstall",
  );
});

test("a failing systemd command is shown with its output", async () => {
  systemctl("echo refused >&2; exit 1");
  const { code, said } = await run("install");
  expect(code).toBe(1);
  expect(said).toContain("not run    systemctl --user restart handrail.service (refused)");
});

describe("what cannot work is refused before anything is written", () => {
  test.each<[string, () => Asked, RegExp]>([
    [
      "no such folder",
      () => ({ variables: { HANDRAIL_WORKSPACE: join(home, "nowhere") } }),
      /nowhere", and there is no such folder/,
    ],
    ["a port that changes", () => ({ variables: { PORT: "0" } }), /leave --port 0 out/],
    ["no tunnel program", () => ({ variables: { HANDRAIL_TUNNEL: "cloudflared" } }), /cloudflared is not on/],
    [
      "a Node that npm brought for one run",
      () => {
        mkdirSync(join(home, "_npx/1"), { recursive: true });
        writeFileSync(join(home, "_npx/1/node"), "");
        return { node: join(home, "_npx/1/node"), env: { PATH: join(home, "bin") } };
      },
      /which is temporary; install Node 20\.19 or newer/,
    ],
    ["another system", () => ({ platform: "win32" }), /this system is win32/],
  ])("%s", async (_, given, words) => {
    systemctl(starting());
    await expect(run("install", given())).rejects.toThrow(words);
    expect(existsSync(unitFile())).toBe(false);
    expect(existsSync(join(home, ".local/share/handrail"))).toBe(false);
  });

  test("a user manager that does not answer", async () => {
    standIn("systemctl", "echo 'Failed to connect to bus: No medium found' >&2; exit 1");
    await expect(run("install")).rejects.toThrow(
      "systemd's user manager does not answer (Failed to connect to bus: No medium found), so nothing was written; log in as this user",
    );
    expect(existsSync(unitFile())).toBe(false);
  });

  test("a port that is in use", async () => {
    systemctl(starting());
    const taken = createServer().listen(port, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    await expect(run("install")).rejects.toThrow(`Port ${port} is taken`);
  });
});

test("on macOS it writes and loads a launchd agent, whose log only its owner reads; installed again, it restarts", async () => {
  standIn("launchctl", `case "$1" in load) ${starting()} ;; list) exit 113 ;; esac`);
  const plist = join(home, "Library/LaunchAgents/dev.handrail.plist");
  const log = join(home, ".local/share/handrail/handrail.log");
  expect(await run("install", { platform: "darwin" })).toMatchObject({ code: 0 });
  expect(statSync(plist).mode & 0o777).toBe(0o600);
  expect(statSync(log).mode & 0o777).toBe(0o600);
  // The stand-in answers once and exits. Until then it holds the port.
  await expect.poll(() => checkPort("127.0.0.1", port).then(() => "free", String)).toBe("free");
  const { code, said } = await run("install", { platform: "darwin" });
  expect(code).toBe(0);
  expect(said).toContain(`log        tail -f ${log}`);
  expect(asked().match(/launchctl (un)?load .*/g)).toEqual([
    `launchctl load -w ${plist}`,
    `launchctl unload ${plist}`,
    `launchctl load -w ${plist}`,
  ]);
});

const odd = {
  node: "/opt/a b/node",
  script: '/home/50%/"x"/handrail.mjs',
  variables: { HANDRAIL_MODEL: "a<b&c", OPENAI_API_KEY: "k$1%n" },
  path: "/usr/bin",
};

test("special characters in paths and values are unchanged", () => {
  const unit = systemdUnit(odd);
  expect(unit).toContain('ExecStart=:"/opt/a b/node" "/home/50%%/\\"x\\"/handrail.mjs"');
  expect(unit).toContain('Environment="OPENAI_API_KEY=k$1%%n"');
  expect(launchdAgent("l", odd, "/log")).toContain("<string>a&lt;b&amp;c</string>");
});

const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;
test.skipIf(!canVerify)("systemd itself accepts the unit", () => {
  const path = join(home, "handrail.service");
  const script = join(home, "package/dist/handrail.mjs");
  writeFileSync(path, systemdUnit({ ...odd, node: process.execPath, script }));
  const { stderr } = spawnSync("systemd-analyze", ["--user", "verify", path], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("handrail.service"))).toEqual([]);
});
