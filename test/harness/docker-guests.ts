// The engine `docker` with a Docker engine of the test's own, and the sandbox server's published image.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { dockerEngine } from "../../functions/engines/docker/docker-engine.ts";
import type { Engine } from "../../functions/engines/engine.ts";
import { guestToken, ownerOf, sandboxIdOf } from "../../functions/engines/guest-id.ts";
import { dial, fileOf } from "../../functions/node-dial.ts";
import { builtServer } from "../sandbox/running-server.ts";
import { DockerEngine } from "./docker.ts";

export const secret = "the secret of these tests, of no use elsewhere";

export class DockerGuests {
  readonly docker: DockerEngine;

  private constructor(docker: DockerEngine) {
    this.docker = docker;
  }

  /** `isWalled`: see `DockerEngine.start`. Edges then reach its guests like those of a remote engine. */
  static async start(isWalled = false): Promise<DockerGuests> {
    const docker = await DockerEngine.start(isWalled);
    const context = join(docker.folder, "sandbox-image");
    mkdirSync(join(context, "dist"), { recursive: true });
    cpSync(await builtServer(), join(context, "dist/sandbox.mjs"));
    docker.build(context, "sandbox/deploy/Containerfile", "handrail-sandbox");
    return new DockerGuests(docker);
  }

  /** Settings with which an edge makes its guests here. */
  get env(): Record<string, string> {
    return { HANDRAIL_DOCKER_HOST: this.docker.address, HANDRAIL_ENGINE_SECRET: secret };
  }

  /** `now`: the clock that decides what counts as a leftover. */
  async engine(env: Readonly<Record<string, string>> = {}, now = () => Date.now()): Promise<Engine> {
    return dockerEngine({
      env: { ...this.env, ...env },
      fetch,
      ...{ now, elapsed: () => performance.now(), log: () => undefined },
      tokenOf: (guest) => guestToken(secret, sandboxIdOf({ engine: "docker", guest })),
      owner: await ownerOf(secret),
      platform: { dial: async () => dial, fileOf: async (text) => fileOf(text), loopbacks: true },
    });
  }

  /** Names of all containers, volumes and networks of guests, including leftovers. */
  left(): string[] {
    const { docker } = this.docker;
    const names = [
      docker.call(this.docker, "ps", "-a", "--format", "{{.Names}}"),
      docker.call(this.docker, "volume", "ls", "-q"),
      docker.call(this.docker, "network", "ls", "--format", "{{.Name}}"),
    ];
    return names.flatMap((text) => text.split("\n")).filter((name) => name.startsWith("handrail-"));
  }

  close(): Promise<void> {
    return this.docker.close();
  }
}
