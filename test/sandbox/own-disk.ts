// A disk in memory of a test's own.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { onTestFinished } from "vitest";

/**
 * A folder in memory that is gone after the test. For root it is a disk of its own, so that its free space changes only
 * by what the test does; otherwise other programs may change it.
 */
export function ownDisk(): string {
  const place = mkdtempSync("/dev/shm/handrail-test-");
  const isOwn = mount("size=1G", place);
  onTestFinished(() => {
    if (isOwn) unmount(place);
    rmSync(place, { recursive: true });
  });
  return place;
}

/** Mounts an empty disk in memory until the end of the test. Only root may; false = it could not. */
export function mounted(options: string, place: string): boolean {
  const isOwn = mount(options, place);
  if (isOwn) onTestFinished(() => unmount(place));
  return isOwn;
}

function mount(options: string, place: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** At once, even if a process that is ending still holds a file there. */
function unmount(place: string): void {
  execFileSync("umount", ["--lazy", place]);
}
