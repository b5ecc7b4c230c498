// How Podman differs from Docker: it accepts a seccomp profile only as a file on its own machine (seen with
// 4.3.1).
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import type { EnginePlatform } from "../engine.ts";
import type { DockerApi } from "./docker-api.ts";
import { seccompProfile } from "./seccomp-profile.ts";

const Version = z.object({ Components: z.optional(z.array(z.object({ Name: z.string() }))) });

interface ProfileOptions {
  platform: EnginePlatform;
  /** true = the engine runs on this machine. */
  isLocal: boolean;
  jails: boolean;
}

/**
 * The path of the profile's file; undefined = the engine accepts the profile itself. Throws `unsupported`.
 */
async function profileFile(
  api: DockerApi,
  { platform, isLocal, jails }: ProfileOptions,
): Promise<string | undefined> {
  const version = await api.ask(Version, "/version", { absent: [404] });
  if (!version?.Components?.some(({ Name }) => Name.startsWith("Podman"))) return undefined;
  if (isLocal && platform.fileOf) return platform.fileOf(JSON.stringify(seccompProfile(jails)));
  throw new HandrailError(
    "unsupported",
    "Podman takes seccomp profiles from files of its own machine alone: run Handrail there, and name its socket in HANDRAIL_DOCKER_HOST.",
  );
}

/** Asks once and keeps the answer. A failure is not kept. */
export function profileOnce(...asked: Parameters<typeof profileFile>): () => Promise<string | undefined> {
  let profile: Promise<string | undefined> | undefined;
  return async () => {
    profile ??= profileFile(...asked);
    profile.catch(() => {
      profile = undefined;
    });
    return profile;
  };
}
