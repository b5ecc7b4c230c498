// The volume of a guest, with its files and its journal. The engine itself limits its size if HANDRAIL_GUEST_DISK is
// set; our server in the guest has its own limits in any case.
import { HandrailError } from "../../../shared/errors.ts";
import { type GuestLabels, volumeOf } from "./container-spec.ts";
import type { DockerApi } from "./docker-api.ts";

interface GuestVolume {
  guest: string;
  labels: GuestLabels;
  /** undefined = the engine limits nothing. */
  maxBytes: number | undefined;
  isPodman: boolean;
}

/** A volume that exists stays as it is. Throws `invalid_request` if the engine's disk has no project quotas. */
export async function makeVolume(
  api: DockerApi,
  { guest, labels, maxBytes, isPodman }: GuestVolume,
): Promise<void> {
  // https://docs.docker.com/reference/cli/docker/volume/create/, https://docs.podman.io/en/v4.3/markdown/podman-volume-create.1.html
  const sized = isPodman ? { o: `size=${maxBytes}` } : { size: String(maxBytes) };
  const DriverOpts = maxBytes === undefined ? {} : sized;
  try {
    await api.tell("POST", "/volumes/create", {
      body: { Name: volumeOf(guest), Labels: labels, DriverOpts },
    });
  } catch (error) {
    if (!(error instanceof HandrailError && /quota/i.test(error.message))) throw error;
    throw new HandrailError(
      "invalid_request",
      `The container engine cannot limit the disk of guests: its data folder has to be on XFS, mounted with pquota. Move it there, or unset HANDRAIL_GUEST_DISK. It said: ${error.message}`,
    );
  }
}
