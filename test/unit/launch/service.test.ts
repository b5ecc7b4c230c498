import { spawnSync } from "node:child_process";
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
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { service } from "../../../scripts/launch/service.ts";
import { launchdAgent, systemdUnit } from "../../../scripts/launch/service-files.ts";

let home = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "handrail-service-")));
  mkdirSync(join(home, "bin"));
  mkdirSync(join(home, "package/dist"), { recursive: true });
  writeFileSync(join(home, "package/dist/handrail.mjs"), "");
  writeFileSync(join(home, "package/package.json"), "{}");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A stand-in for the system's own program, which keeps what it is asked. */
function standIn(name: string, code = 0): void {
  const path = join(home, "bin", name);
  writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> "${home}/asked"\necho refused >&2\nexit ${code}\n`);
  chmodSync(path, 0o755);
}

function run(
  action: "install" | "uninstall" | "status",
  platform: NodeJS.Platform,
): { code: number; said: string } {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  const env = { HOME: home, PATH: join(home, "bin") };
  const variables = { HANDRAIL_WORKSPACE: "/a repo", PORT: "9000" };
  const code = service(action, { root: join(home, "package"), variables, env, platform });
  return { code, said: lines.join("\n") };
}

test("on Linux it copies the package, writes a user unit for its owner alone, starts it, and says so", () => {
  standIn("systemctl");
  const { code, said } = run("install", "linux");
  const unit = join(home, ".config/systemd/user/handrail.service");
  expect(code).toBe(0);
  expect(said).toContain(`wrote      ${unit}`);
  expect(said).toContain("ran        systemctl --user restart handrail.service");
  expect(statSync(unit).mode & 0o777).toBe(0o600);
  const copy = join(home, ".local/share/handrail/app/dist/handrail.mjs");
  expect(existsSync(copy)).toBe(true);
  expect(readFileSync(unit, "utf8")).toContain(`ExecStart=:"${process.execPath}" "${copy}"`);
  expect(readFileSync(unit, "utf8")).toContain('Environment="HANDRAIL_WORKSPACE=/a repo"');
  expect(run("status", "linux")).toMatchObject({ code: 0 });
  expect(run("uninstall", "linux").said).toContain(`removed    ${unit}`);
  expect(existsSync(unit)).toBe(false);
  expect(readFileSync(join(home, "asked"), "utf8")).toContain("disable --now handrail.service");
  expect(run("status", "linux")).toMatchObject({ code: 1 });
});

test("where systemd refuses, it says what is left to do by hand", () => {
  standIn("systemctl", 1);
  const { code, said } = run("install", "linux");
  expect(code).toBe(1);
  expect(said).toContain(
    "not run    systemctl --user daemon-reload (refused)\nRun in a session of your own: systemctl --user daemon-reload && systemctl --user enable",
  );
});

test("on macOS it writes and loads a launchd agent", () => {
  standIn("launchctl");
  const { code } = run("install", "darwin");
  const plist = join(home, "Library/LaunchAgents/dev.handrail.plist");
  expect(code).toBe(0);
  expect(readFileSync(join(home, "asked"), "utf8")).toBe(`launchctl load -w ${plist}\n`);
  expect(() => run("install", "win32")).toThrow(
    /service knows systemd and launchd, and this system is win32/,
  );
});

const odd = {
  node: "/opt/a b/node",
  script: '/home/50%/"x"/handrail.mjs',
  variables: { HANDRAIL_MODEL: "a<b&c", OPENAI_API_KEY: "k$1%n" },
  path: "/usr/bin",
};

test("odd characters in paths and values stay what they are", () => {
  const unit = systemdUnit(odd);
  expect(unit).toContain('ExecStart=:"/opt/a b/node" "/home/50%%/\\"x\\"/handrail.mjs"');
  expect(unit).toContain('Environment="OPENAI_API_KEY=k$1%%n"');
  expect(launchdAgent("l", odd, "/log")).toContain("<string>a&lt;b&amp;c</string>");
});

const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;
test.skipIf(!canVerify)("systemd itself finds nothing wrong with the unit", () => {
  const path = join(home, "handrail.service");
  const script = join(home, "package/dist/handrail.mjs");
  writeFileSync(path, systemdUnit({ ...odd, node: process.execPath, script }));
  const { stderr } = spawnSync("systemd-analyze", ["--user", "verify", path], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("handrail.service"))).toEqual([]);
});
