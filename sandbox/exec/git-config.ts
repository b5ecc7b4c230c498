// The person's own git configuration is hidden in the jail. This module writes a file that gives git in the
// jail the person's name and address, and nothing else about them.
import { join } from "node:path";
import { writeWhole } from "../files.ts";
import { personIn } from "../workspace/git-identity.ts";

/** Writes the configuration into the state folder, for `gitConfigMount`. */
export async function writeGitConfig(state: string): Promise<void> {
  const { name, email } = await personIn("/");
  const person = `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n[safe]\n\tdirectory = *\n`;
  // A repository's configuration and `info` are read-only in the jail: these settings keep `checkout -b x
  // origin/x` and `gc` from writing there.
  const text = `${person}[branch]\n\tautoSetupMerge = false\n[repack]\n\tupdateServerInfo = false\n`;
  await writeWhole(join(state, "gitconfig"), text, false);
}

/**
 * Arguments for bubblewrap. The file takes the place of the machine's configuration, so a repository's own
 * settings have precedence.
 */
export function gitConfigMount(state: string): string[] {
  return ["--ro-bind-try", join(state, "gitconfig"), "/etc/gitconfig"];
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replace(/\s+/g, " ")}"`;
}
