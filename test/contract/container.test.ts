// The container image of the whole, built and run by Debian's own docker, on a base that is made here: no registry is asked.
// @module-tag long
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packInto } from "../../scripts/pack.ts";
import { canRunDocker, DockerEngine } from "../harness/docker.ts";

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
