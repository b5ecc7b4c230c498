// The settings of the engine `docker`, checked when it is first used.
import { HandrailError } from "../../../shared/errors.ts";
import type { Network } from "../../../shared/network.ts";
import type { EngineContext } from "../engine.ts";
import { minutesOf, numberOf } from "../guest-settings.ts";
import type { GuestSize } from "./container-spec.ts";

export interface DockerSettings {
  /** Where its API is, in DOCKER_HOST's form. */
  address: string;
  /** The image of guests that name none, with our server in /opt/handrail. */
  image: string;
  size: GuestSize;
  network: Network;
  /** US dollars for an hour of one guest. */
  costPerHour?: number;
}

/** Throws `invalid_request` naming the variable and the remedy. */
export function dockerSettings(env: EngineContext["env"]): DockerSettings {
  const costPerHour = numberOf(
    env,
    "HANDRAIL_GUEST_COST",
    undefined,
    "the US dollars that a guest costs for an hour",
  );
  return {
    address: env.HANDRAIL_DOCKER_HOST || env.DOCKER_HOST || "unix:///var/run/docker.sock",
    image: env.HANDRAIL_IMAGE || "handrail-sandbox",
    network: networkOf(env.HANDRAIL_NETWORK || "none"),
    size: {
      memoryBytes: numberOf(env, "HANDRAIL_GUEST_MEMORY", 2048, "the MiB of memory of a guest") * 1024 ** 2,
      cpus: numberOf(env, "HANDRAIL_GUEST_CPUS", 2, "the processors of a guest"),
      pids: 1024,
      diskMiB: env.HANDRAIL_DISK_QUOTA,
      idleMinutes: minutesOf(env),
      jails: env.HANDRAIL_GUEST_JAIL !== "0",
    },
    ...(costPerHour === undefined ? {} : { costPerHour }),
  };
}

function networkOf(text: string): Network {
  if (text === "none" || text === "registries" || text === "full") return text;
  throw new HandrailError("invalid_request", "HANDRAIL_NETWORK must be none, registries or full.");
}
