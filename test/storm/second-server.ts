// Starts a second sandbox server on a state folder that is in use: from another namespace, or after the lock
// files were deleted.
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "./state-files.ts";
import type { Town } from "./town.ts";

const refusal = /Another sandbox server uses the state folder .*--state/;
const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"];

/** The problem with the second server's answer; undefined = it was refused with an explanation. */
export async function trySecondServer(
  { state, sandboxCommand: { args, env } }: Town,
  how: "namespace" | "deleted files",
): Promise<string | undefined> {
  if (how === "deleted files")
    for (const name of await filesOf(state))
      if (/lock|lease/.test(name)) await rm(join(state, name), { force: true });
  const command = [process.execPath, ...args, "--port", "0"];
  const [program = "", ...rest] = how === "namespace" ? ["unshare", ...namespaces, ...command] : command;
  const second = spawn(program, rest, { env, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  const hear = (chunk: Buffer) => {
    said += chunk.toString();
    if (/sandbox ready/.test(said)) second.kill("SIGKILL");
  };
  second.stdout.on("data", hear);
  second.stderr.on("data", hear);
  await new Promise((resolve) => second.once("close", resolve));
  return refusal.test(said) ? undefined : `a second server (${how}) was not refused in words: ${said}`;
}
