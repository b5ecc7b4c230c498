// What git knows of the person inside the jail, where their own configuration is hidden: name and address, nothing else.
import { join } from "node:path";
import { writeWhole } from "../files.ts";
import { findProgram, machinePath } from "./environment.ts";
import { runProcess } from "./run-process.ts";

/** Writes the configuration into the state folder, for `gitConfigMount`. */
export async function writeGitConfig(state: string): Promise<void> {
  const name = (await personal("user.name")) || "Handrail";
  const email = (await personal("user.email")) || "handrail@localhost";
  const person = `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n[safe]\n\tdirectory = *\n`;
  // A repository's configuration and `info` are read-only in the jail: `checkout -b x origin/x` and `gc` do without.
  const text = `${person}[branch]\n\tautoSetupMerge = false\n[repack]\n\tupdateServerInfo = false\n`;
  await writeWhole(join(state, "gitconfig"), text, false);
}

/** Arguments of bubblewrap. As the machine's configuration it gives way to what a repository says itself. */
export function gitConfigMount(state: string): string[] {
  return ["--ro-bind-try", join(state, "gitconfig"), "/etc/gitconfig"];
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replace(/\s+/g, " ")}"`;
}

async function personal(key: string): Promise<string> {
  const file = findProgram("git");
  if (!file) return "";
  const env = { PATH: machinePath().join(":"), HOME: process.env.HOME ?? "/", LANG: "C.UTF-8" };
  const spec = { args: ["config", "--get", key], cwd: "/", env, timeoutMs: 10_000, maxOutputBytes: 4_096 };
  const outcome = await runProcess({ ...spec, file }).catch(() => undefined);
  return outcome?.exitCode === 0 ? outcome.stdout.trim() : "";
}
