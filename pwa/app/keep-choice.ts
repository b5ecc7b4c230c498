// Stores what a person chose for the whole app, and knows whether storage took it.
import { signal } from "@preact/signals";
import { unkeptChoiceInWords } from "../storage/storage-error.ts";

/** The reason why storage did not take a choice; null if it has all of them. */
export const unkeptChoice = signal<string | null>(null);
const unkept = new Map<string, () => Promise<void>>();

/**
 * Stores a choice with `write`. If that fails, the person is told, and it is tried again once there is room. Never
 * throws.
 */
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

/** Stores the choices that storage did not take before. */
export async function keepUnkeptChoices(): Promise<void> {
  for (const [name, write] of [...unkept]) await keepChoice(name, write);
}
