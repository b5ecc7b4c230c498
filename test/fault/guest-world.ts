// An engine of guests that a test may kill: Debian's docker with real containers, or a fake one whose guests
// are processes.
import { dockerEngine } from "../../functions/engines/docker/docker-engine.ts";
import type { Engine } from "../../functions/engines/engine.ts";
import { guestToken, ownerOf, sandboxIdOf } from "../../functions/engines/guest-id.ts";
import { dial } from "../../functions/node-dial.ts";
import { DockerHost } from "../fakes/engines/docker-host.ts";
import { DockerGuests, secret } from "../harness/docker-guests.ts";

export interface GuestWorld {
  /** The settings with which an edge makes its guests there. */
  env: Record<string, string>;
  /** `now`: the clock that judges leftovers. */
  engine(now?: () => number): Promise<Engine>;
  /** Kills any running guest, or one that is being made. */
  killGuest(): Promise<void>;
  /** The engine dies and is restarted after `awayMs`. */
  killEngine(awayMs: number): Promise<void>;
  /**
   * Calls `act` before the engine handles the `count`th request from now; in docker only at about that
   * moment.
   */
  atCall(count: number, act: () => Promise<void>): Promise<void>;
  /** The names of containers, volumes and networks that are left. */
  left(): string[];
  close(): Promise<void>;
}

export async function dockerWorld(): Promise<GuestWorld> {
  const guests = await DockerGuests.start();
  return {
    env: guests.env,
    engine: (now) => guests.engine({}, now),
    async killGuest() {
      const running = guests.docker.docker("ps", "-q").split("\n").filter(Boolean);
      // A container may have ended in the meantime.
      try {
        if (running.length > 0) guests.docker.docker("kill", ...running);
      } catch {}
    },
    async killEngine(awayMs) {
      await guests.docker.stopDaemon("SIGKILL");
      await away(awayMs);
      await guests.docker.startDaemon();
    },
    async atCall(count, act) {
      await away(count * 100);
      await act();
    },
    left: () => guests.left(),
    close: () => guests.close(),
  };
}

function away(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function playedWorld(): Promise<GuestWorld> {
  const host = await DockerHost.start();
  // The jail is off, because this test is about lost data and starts hundreds of processes.
  const env = {
    HANDRAIL_DOCKER_HOST: host.address,
    HANDRAIL_ENGINE_SECRET: secret,
    HANDRAIL_GUEST_JAIL: "0",
  };
  return {
    env,
    engine: async (now = () => Date.now()) =>
      dockerEngine({
        ...{ env, fetch, now, elapsed: () => performance.now(), log: () => undefined },
        tokenOf: (guest) => guestToken(secret, sandboxIdOf({ engine: "docker", guest })),
        owner: await ownerOf(secret),
        platform: { dial: async () => dial },
      }),
    killGuest: () => host.kill(),
    async killEngine(awayMs) {
      await host.die();
      await away(awayMs);
      await host.listen();
    },
    atCall: (count, act) => host.atCall(count, act),
    left: () => [
      ...[...host.containers.values()].map(({ name }) => name),
      ...host.volumes.keys(),
      ...[...host.networks.values()].map(({ Name }) => Name),
    ],
    close: () => host.close(),
  };
}
