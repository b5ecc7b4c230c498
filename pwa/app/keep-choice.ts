// What a person chose for the whole app, and whether storage has it.
import { signal } from "@preact/signals";
import { unkeptChoiceInWords } from "../storage/storage-error.ts";

/** Why storage did not take what a person chose; null if it has all of it. */
export const unkeptChoice = signal<string | null>(null);
const unkept = new Map<string, () => Promise<void>>();

/** Stores a choice by `write`; where that fails it is said, and tried again once there is room. Never throws. */
export async function keepChoice(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
    unkept.delete(name);
    if (unkept.size === 0) unkeptChoice.value = null;
  } catch (error) {
    unkept.set(name, write);
    unkeptChoice.value = unkeptChoiceInWords(error);
  }
}

/** Stores what it did not take before. */
export async function keepUnkeptChoices(): Promise<void> {
  for (const [name, write] of [...unkept]) await keepChoice(name, write);
}
