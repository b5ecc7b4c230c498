// Saves and restores the disk of a container, which is lost when the container stops. It is saved as a
// snapshot and as an archive in R2. A snapshot is quick, lasts 30 days from its last use, and is bound to its
// image. An archive lasts indefinitely and fits any image.
import { HandrailError } from "../../../shared/errors.ts";
import { busyScript } from "../busy-script.ts";
import type { ExecProcess, GuestContainer } from "./container.ts";
import type { GuestRecord, KeptDisk } from "./guest-record.ts";
import {
  folder,
  packScript,
  prepareScript,
  putScript,
  readPackScript,
  unpackScript,
} from "./guest-scripts.ts";
import { archiveOf, type GuestSite } from "./guest-site.ts";

/**
 * A day less than the platform keeps a snapshot:
 * https://developers.cloudflare.com/containers/guides/snapshots/
 */
const snapshotMs = 29 * 24 * 60 * 60_000;
/** Cold starts take one to three seconds, or longer if the image is not cached nearby. */
const startTries = 300;
const startPauseMs = 200;

type From = { containerSnapshot: { id: string } } | { image: string };

/**
 * Calls `start` with the stored snapshot, or restores the archive, and installs our server. Throws
 * `not_found` if that fails.
 */
export async function bringDisk(
  site: GuestSite,
  record: GuestRecord,
  start: (from: From) => void,
): Promise<void> {
  const { kept } = record;
  const image = imageOf(site, record);
  const snapshot = kept?.snapshot && site.now() - kept.at < snapshotMs ? kept.snapshot : undefined;
  // If there is an archive, a snapshot of another image is not tried.
  if (snapshot && (snapshot.image === image || !kept?.archive)) {
    try {
      start({ containerSnapshot: { id: snapshot.id } });
      return await putServer(site);
    } catch (error) {
      if (!kept?.archive) throw lost(error);
      await site.container().destroy("the snapshot could not be restored");
    }
  }
  if (kept && !kept.archive) throw lost(undefined);
  start({ image });
  await run(site.container(), prepareScript, { required: false });
  if (kept) {
    const archive = await site.bucket?.get(archiveOf(record));
    if (!archive) throw lost(undefined);
    await run(site.container(), unpackScript, { stdin: archive.body });
  }
  await putServer(site);
}

/**
 * Whether our server runs something. A background command sends no requests, and would end with the
 * container.
 */
export async function isBusy({ container }: GuestSite): Promise<boolean> {
  return (await run(container(), busyScript(folder))).trim() !== "";
}

/** Throws if neither kind of copy can be made. The container must then keep running. */
export async function keepDisk(site: GuestSite, record: GuestRecord): Promise<KeptDisk> {
  const { bucket, now } = site;
  const container = site.container();
  const at = now();
  if (bucket) {
    const bytes = Number(await run(container, packScript));
    const packed = await container.exec(["sh", "-c", readPackScript], { stderr: "ignore" });
    if (packed.stdout) await bucket.put(archiveOf(record), site.ofLength(bytes, packed.stdout));
  } else await run(container, "sync");
  const snapshot = await container.snapshotContainer({ name: record.name }).catch(() => undefined);
  if (!snapshot && !bucket) {
    throw new HandrailError(
      "invalid_request",
      "Neither snapshots nor an R2 bucket can keep this guest: bind a bucket as GUEST_ARCHIVES in wrangler.sandbox.toml.",
    );
  }
  const image = imageOf(site, record);
  return { at, archive: bucket !== undefined, ...(snapshot ? { snapshot: { id: snapshot.id, image } } : {}) };
}

/** Under the scheduling policy `default` the image is fixed and has no name here. */
function imageOf(site: GuestSite, record: GuestRecord): string {
  return record.image ?? site.container().images?.guest ?? site.image;
}

async function putServer({ container, server }: GuestSite): Promise<void> {
  const has = await run(container(), `[ -f "$HOME/${folder}/${server.name}" ] && echo yes`, {
    required: false,
  });
  if (has.trim() !== "yes")
    await run(container(), putScript(server.name), { stdin: new Response(server.text).body });
}

/**
 * Returns the output. Waits for a container that has just been started. Throws if the exit code is not 0,
 * unless `required` is false.
 */
async function run(
  container: GuestContainer,
  script: string,
  { stdin, required = true }: { stdin?: ReadableStream | null; required?: boolean } = {},
): Promise<string> {
  const ended = await begin(container, script, stdin ?? undefined);
  const printed = await new Response(ended.stdout).text();
  const exitCode = await ended.exitCode;
  if (exitCode === 0 || !required) return printed;
  throw new HandrailError("sandbox_unreachable", `The container could not be set up: exit ${exitCode}.`);
}

async function begin(
  container: GuestContainer,
  script: string,
  stdin: ReadableStream | undefined,
): Promise<ExecProcess> {
  // A stream can be used only once, so the connection is tried without it first.
  for (let left = startTries; left > 0 && container.running; left -= 1) {
    try {
      await (await container.exec(["true"], { stderr: "ignore" })).exitCode;
      return await container.exec(["sh", "-c", script], { stderr: "ignore", ...(stdin ? { stdin } : {}) });
    } catch (error) {
      if (stdin?.locked) throw error;
      await new Promise((resolve) => setTimeout(resolve, startPauseMs));
    }
  }
  throw new HandrailError("sandbox_unreachable", "The container did not start.");
}

function lost(cause: unknown): HandrailError {
  return new HandrailError("not_found", "The guest is gone: what was kept of it cannot be restored.", {
    cause,
  });
}
