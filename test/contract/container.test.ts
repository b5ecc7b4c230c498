// The container image, built and run by Debian's own docker on a base image that is made here, so that no
// registry is needed.
// @module-tag long
import { spawnSync } from "node:child_process";
import { chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/launch/ports.ts";
import { packInto } from "../../scripts/pack.ts";
import { SandboxAnswer } from "../../shared/api.ts";
import { canRunDocker, DockerEngine } from "../harness/docker.ts";

/**
 * Debian has version 1 of compose. It reads the same file, but passes on an option that only docker's own
 * client supports.
 */
const hasCompose = spawnSync("docker-compose", ["version"]).status === 0;

let engine: DockerEngine | undefined;
const docker = (...args: string[]) => engine?.docker(...args) ?? "";

describe.skipIf(!canRunDocker)("the container image", () => {
  beforeAll(async () => {
    engine = await DockerEngine.start();
    const context = join(engine.folder, "context");
    mkdirSync(join(context, "image"), { recursive: true });
    copyFileSync("Containerfile", join(context, "Containerfile"));
    await packInto(join(context, "image"));
    engine.build(context, join(context, "Containerfile"), "it");
  }, 900_000);
  afterAll(() => engine?.close());

  test("it is small, and runs as an unprivileged user who owns its folders", () => {
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

  test.skipIf(!hasCompose)(
    "compose.yaml serves the folder it is given, and removes everything again",
    async () => {
      const { folder = "", address = "" } = engine ?? {};
      const served = join(folder, "served");
      mkdirSync(served);
      writeFileSync(join(served, "theirs.txt"), "theirs");
      chownSync(served, 1000, 1000);
      const file = join(folder, "compose.yaml");
      writeFileSync(file, readFileSync("compose.yaml", "utf8").replace(", systempaths=unconfined", ""));
      docker("tag", "it", "handrail");
      const PORT = String(await freePort("127.0.0.1"));
      const compose = (env: Record<string, string>, ...args: string[]) =>
        spawnSync("docker-compose", ["-f", file, "-p", "handrail-test", ...args], {
          encoding: "utf8",
          env: { ...process.env, DOCKER_HOST: address, ...env },
        });
      expect(compose({}, "config").stderr).toContain("name the folder to work in, HANDRAIL_FOLDER=");
      const url = `http://localhost:${PORT}`;
      const env = { HANDRAIL_FOLDER: served, PORT, HANDRAIL_PUBLIC_URL: url };
      const up = compose(env, "up", "-d", "--no-build");
      expect(up.status, up.stderr).toBe(0);
      const logs = () => compose(env, "logs", "--no-color").stdout;
      await expect.poll(logs, { timeout: 120_000 }).toMatch(/ready http/);
      const token = /#pair=(\S+)/.exec(logs())?.[1] ?? "";
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const made = await fetch(`${url}/api/sandboxes`, { method: "POST", headers, body: "{}" });
      const { sandboxId } = SandboxAnswer.parse(await made.json());
      const read = await fetch(`${url}/api/sandboxes/${sandboxId}/file?path=theirs.txt`, { headers });
      expect(await read.text()).toBe("theirs");
      expect(compose(env, "down", "-v").status).toBe(0);
      expect(docker("ps", "-aq", "--filter", "name=handrail-test")).toBe("");
    },
  );
});
