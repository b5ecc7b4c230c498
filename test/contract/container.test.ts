// The container image of the whole, built and run by Debian's own docker, on a base that is made here: no registry is asked.
// @module-tag long
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packInto } from "../../scripts/pack.ts";

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
/** Docker's daemon and debootstrap need root and Linux; without them there is nothing to try. */
const canTry = process.getuid?.() === 0 && has("dockerd") && has("docker") && has("debootstrap");
const mirror = "http://deb.debian.org/debian";
const programs = "git,bubblewrap,ripgrep,ca-certificates";

const folder = mkdtempSync(join(tmpdir(), "handrail-container-"));
const socket = `unix://${join(folder, "sock")}`;
/** Kept for the next run: making it takes minutes. */
const base = join(tmpdir(), "handrail-container-base.tar");
let daemon: ChildProcess | undefined;

function docker(...args: string[]): string {
  const done = spawnSync("docker", args, {
    encoding: "utf8",
    env: { ...process.env, DOCKER_HOST: socket, DOCKER_BUILDKIT: "0" },
  });
  if (done.status !== 0) throw new Error(`docker ${args[0]}: ${done.stdout}${done.stderr}`);
  return done.stdout.trim();
}

function must(program: string, ...args: string[]): void {
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program}: ${(done.stdout + done.stderr).slice(-2_000)}`);
}

function makeBase(): void {
  const tree = join(folder, "base");
  must("debootstrap", "--variant=minbase", `--include=${programs}`, "bookworm", tree, mirror);
  copyFileSync(realpathSync(process.execPath), join(tree, "usr/local/bin/node"));
  must("tar", "-cf", base, "-C", tree, "--exclude=./var/cache/apt/*", ".");
}

/** Until it answers, as docker's own client waits for it. */
async function startDaemon(): Promise<void> {
  const at = (name: string) => join(folder, name);
  const places = ["--data-root", at("data"), "--exec-root", at("exec"), "--pidfile", at("pid")];
  const args = ["--iptables=false", "--ip6tables=false", "-H", socket, ...places];
  daemon = spawn("dockerd", args, { stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    daemon?.once("error", reject);
    daemon?.once("exit", () => reject(new Error(said.slice(-2_000))));
    daemon?.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("API listen on")) resolve();
    });
  });
}

describe.skipIf(!canTry)("the container image", () => {
  beforeAll(async () => {
    if (!existsSync(base)) makeBase();
    mkdirSync(join(folder, "context/image"), { recursive: true });
    copyFileSync("Containerfile", join(folder, "context/Containerfile"));
    await packInto(join(folder, "context/image"));
    await startDaemon();
    docker("import", base, "handrail-base");
    const bases = ["NODE_IMAGE", "BASE_IMAGE"].flatMap((name) => ["--build-arg", `${name}=handrail-base`]);
    const context = join(folder, "context");
    docker(
      "build",
      "-q",
      "--network=none",
      ...bases,
      "-f",
      join(context, "Containerfile"),
      "-t",
      "it",
      context,
    );
  }, 900_000);
  afterAll(async () => {
    const ended = new Promise((resolve) => daemon?.once("exit", resolve));
    daemon?.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  test("it is small, and runs as a user without rights who owns its folders", () => {
    expect(Number(docker("image", "inspect", "-f", "{{.Size}}", "it"))).toBeLessThan(250_000_000);
    const said = docker(
      "run",
      "--rm",
      "--entrypoint",
      "sh",
      "it",
      "-c",
      "id -u; touch /workspace/a /state/b; git --version; rg --version",
    );
    expect(said).toMatch(/^1000\ngit version [\s\S]*ripgrep /);
  });

  test("it becomes healthy, pairs under its public URL, keeps its token, and stops cleanly", async () => {
    const run = [
      "run",
      "-d",
      "--init",
      "-v",
      "state:/state",
      "--health-interval=1s",
      "-e",
      "HANDRAIL_PUBLIC_URL=https://rail.example",
    ];
    const tokens: (string | undefined)[] = [];
    for (let start = 0; start < 2; start += 1) {
      const id = docker(...run, "it");
      await expect
        .poll(() => docker("inspect", "-f", "{{.State.Health.Status}}", id), { timeout: 120_000 })
        .toBe("healthy");
      tokens.push(/https:\/\/rail\.example\/#pair=(\S+)/.exec(docker("logs", id))?.[1]);
      docker("stop", id);
      expect(docker("inspect", "-f", "{{.State.ExitCode}}", id)).toBe("0");
    }
    expect(tokens[0]).toMatch(/^[\w-]{32,}$/);
    expect(tokens[1]).toBe(tokens[0]);
  });
});
