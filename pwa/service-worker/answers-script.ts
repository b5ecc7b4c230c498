// The script that gives answers, five times as large as the rest: loaded when a button is tapped, not at every start.
import type * as answers from "./give-here.ts";
import { scope } from "./scope.ts";

declare global {
  /** Its address; scripts/build/service-worker.ts puts it in. */
  const handrailAnswersUrl: string;
  /** What that script exports, once it was imported. */
  var handrailAnswers: typeof answers | undefined;
}

/** A worker may import later only what it has imported while it was installed: the browser keeps that with it. */
export function keepAnswersScript(): void {
  scope.importScripts(handrailAnswersUrl);
}

/** As `giveHere`; `waits` if the script cannot be loaded. */
export const giveHere: typeof answers.giveHere = async (kv, answer) => {
  try {
    if (globalThis.handrailAnswers === undefined) scope.importScripts(handrailAnswersUrl);
  } catch {
    return { is: "waits" };
  }
  return globalThis.handrailAnswers?.giveHere(kv, answer);
};
