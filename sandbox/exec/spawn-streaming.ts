// Starts a program and reads its output as it arrives, for output that is too large to keep, or of which only
// the beginning is needed.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import type { ProcessSpec } from "./run-process.ts";

/**
 * The caller reads both streams and ends the program. `givenFile` gets the same descriptor as in
 * `runProcess`.
 */
export function spawnStreaming(
  spec: Pick<ProcessSpec, "file" | "args" | "cwd" | "env" | "givenFile">,
): ChildProcessByStdio<null, Readable, Readable> {
  const { file, args, cwd, env, givenFile } = spec;
  const given = givenFile === undefined ? undefined : openSync(givenFile, "r");
  try {
    const more = given === undefined ? [] : (["ignore", "ignore", "ignore", given] as const);
    // The standard streams are always these three, but Node's types do not know that when more follow.
    return spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe", ...more] }) as ReturnType<
      typeof spawnStreaming
    >;
  } finally {
    if (given !== undefined) closeSync(given);
  }
}
