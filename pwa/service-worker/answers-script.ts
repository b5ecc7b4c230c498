// Loads the script that gives answers. It is five times as large as the rest, so it is loaded when a button is tapped
// and not at every start.
import type * as answers from "./give-here.ts";
import { scope } from "./scope.ts";

declare global {
  /** The script's address; scripts/build/service-worker.ts fills it in. */
  const handrailAnswersUrl: string;
  /** What the script exports after it was imported. */
  var handrailAnswers: typeof answers | undefined;
}

/** Called during installation: afterwards, a worker can import only the scripts that it imported then. */
export function keepAnswersScript(): void {
  scope.importScripts(handrailAnswersUrl);
}

/** Like `giveHere`; returns `waits` if the script cannot be loaded. */
export const giveHere: typeof answers.giveHere = async (kv, answer) => {
  try {
    if (globalThis.handrailAnswers === undefined) scope.importScripts(handrailAnswersUrl);
  } catch {
    return { is: "waits" };
  }
  return globalThis.handrailAnswers?.giveHere(kv, answer);
};
