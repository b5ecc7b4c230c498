// Calls written as text (PROTOCOL 6 "Text protocol"): the one entrance of this folder. Each half is loaded with the first
// answer that needs it, and is a file of its own in the worker.
export type { TextAndCalls } from "./found-text.ts";
export type { TextCallReader } from "./text-call-reader.ts";

/** Writes prompts for models without native calls, and finds the calls in what they answer. */
export const textForm = () => import("./text-form.ts");
/** Reads nearly correct calls, and words the errors of the others. */
export const mending = async () => (await import("./mending.ts")).mending;
