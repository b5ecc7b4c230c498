// The settings of the engine `docker`. They are checked when the engine is first used.
import { HandrailError } from "../../../shared/errors.ts";
import type { Network } from "../../../shared/network.ts";
import type { EngineContext } from "../engine.ts";
import { minutesOf, numberOf } from "../guest-settings.ts";
import { type AddressRange, rangeOf } from "./address-range.ts";
import type { GuestSize } from "./container-spec.ts";

export interface DockerSettings {
  /** The address of its API, in DOCKER_HOST's form. */
  address: string;
  /** The image of guests that choose none. It has our server in /opt/handrail. */
  image: string;
  /** Whether a repository may choose this image. */
  mayBe(image: string): boolean;
  size: GuestSize;
  network: Network;
  /** The range from which each guest's own network takes eight addresses. */
  addresses: AddressRange;
  /** US dollars for an hour of one guest. */
  costPerHour?: number;
}

/** Throws `invalid_request` and names the variable and the remedy. */
export function dockerSettings(env: EngineContext["env"]): DockerSettings {
  const costPerHour = numberOf(
    env,
    "HANDRAIL_GUEST_COST",
    undefined,
    "the US dollars that a guest costs for an hour",
  );
  const volumeMiB = numberOf(env, "HANDRAIL_GUEST_DISK", undefined, "the MiB of disk of a guest");
  return {
    address: env.HANDRAIL_DOCKER_HOST || env.DOCKER_HOST || "unix:///var/run/docker.sock",
    image: env.HANDRAIL_IMAGE || "handrail-sandbox",
    mayBe: allowed(env.HANDRAIL_IMAGES || "*"),
    network: networkOf(env.HANDRAIL_NETWORK || "none"),
    addresses: addressesOf(env.HANDRAIL_GUEST_ADDRESSES || "10.213.0.0/16"),
    size: {
      memoryBytes: numberOf(env, "HANDRAIL_GUEST_MEMORY", 2048, "the MiB of memory of a guest") * 1024 ** 2,
      cpus: numberOf(env, "HANDRAIL_GUEST_CPUS", 2, "the processors of a guest"),
      pids: 1024,
      // Our server refuses what would fill the volume, so that there is always room for its journal.
      diskMiB: env.HANDRAIL_DISK_QUOTA || shareOf(volumeMiB, 3 / 4),
      stateMiB: env.HANDRAIL_STATE_BUDGET || shareOf(volumeMiB, 1 / 4),
      volumeBytes: volumeMiB && Math.floor(volumeMiB * 1024 ** 2),
      idleMinutes: minutesOf(env),
      jails: env.HANDRAIL_GUEST_JAIL !== "0",
    },
    ...(costPerHour === undefined ? {} : { costPerHour }),
  };
}

function shareOf(mebibytes: number | undefined, share: number): string | undefined {
  return mebibytes === undefined ? undefined : String(Math.max(1, Math.floor(mebibytes * share)));
}

/**
 * Parses names separated by commas or spaces, with `*` as a wildcard. A name without a tag allows all tags.
 * `0` allows none.
 */
function allowed(setting: string): (image: string) => boolean {
  const patterns = setting.split(/[\s,]+/).filter(Boolean);
  const forms = patterns.map((pattern) => {
    const text = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    return new RegExp(`^${text}${/[:@*][^/]*$/.test(pattern) ? "" : "(?:[:@][^/]*)?"}$`);
  });
  return (image) => setting !== "0" && forms.some((form) => form.test(image));
}

function addressesOf(text: string): AddressRange {
  const range = rangeOf(text);
  if (range && range.count > 0) return range;
  throw new HandrailError(
    "invalid_request",
    "HANDRAIL_GUEST_ADDRESSES: write a range of IPv4 addresses such as 10.213.0.0/16, of at least eight.",
  );
}

function networkOf(text: string): Network {
  if (text === "none" || text === "registries" || text === "full") return text;
  throw new HandrailError("invalid_request", "HANDRAIL_NETWORK must be none, registries or full.");
}
