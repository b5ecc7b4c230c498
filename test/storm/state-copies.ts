// Copies the state folder and restores the copy later, as from a backup.
import { cp, rm } from "node:fs/promises";
import type { Town } from "./town.ts";

const copyOf = ({ root }: Town) => `${root}/state-copy`;

export async function copyState(town: Town): Promise<void> {
  await rm(copyOf(town), { recursive: true, force: true });
  await cp(town.state, copyOf(town), { recursive: true });
}

/** The workspaces keep their current state. */
export async function restoreState(town: Town): Promise<void> {
  await rm(town.state, { recursive: true, force: true });
  await cp(copyOf(town), town.state, { recursive: true });
}
