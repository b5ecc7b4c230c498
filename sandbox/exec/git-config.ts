// What git knows of the person inside the jail, where their own configuration is hidden: name and address, nothing else.
import { join } from "node:path";
import { writeWhole } from "../files.ts";
import { personIn } from "../workspace/git-identity.ts";

/** Writes the configuration into the state folder, for `gitConfigMount`. */
export async function writeGitConfig(state: string): Promise<void> {
  const { name, email } = await personIn("/");
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
