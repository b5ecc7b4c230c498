// Keeps the seccomp filters as files of the state folder, because bubblewrap reads one from a descriptor when
// it starts.
import { join } from "node:path";
import type { Access } from "../../shared/sandbox.ts";
import { writeWhole } from "../files.ts";
import { hasSeccompFilter, seccompFilter } from "./seccomp.ts";

/** Path of the filter for each kind of access. */
export type SeccompFiles = Readonly<Record<Access, string>>;

/** Writes them; undefined if there is no filter for this architecture. */
export async function writeSeccompFiles(state: string, arch: string): Promise<SeccompFiles | undefined> {
  if (!hasSeccompFilter(arch)) return undefined;
  const files = { readonly: join(state, "readonly.seccomp"), write: join(state, "write.seccomp") };
  const root = process.geteuid?.() === 0;
  await writeWhole(files.readonly, seccompFilter(arch, { writable: false, root }), false);
  await writeWhole(files.write, seccompFilter(arch, { writable: true, root }), false);
  return files;
}
