// Which models are small by their names. In the text form these are shown fewer tools and shorter texts.
import type { ModelSettings } from "./provider.ts";

/** Models up to this size count as small, in billions of parameters. */
const smallBillions = 15;

/**
 * Families whose names in Ollama's library say no size, and whose default tag is a small one.
 * https://ollama.com/library (read 2026-11)
 */
const smallFamilies =
  /^(?:llama3(?:\.[12])?|llama2|codellama|mistral|mistral-openorca|openhermes|gemma[23n]?|codegemma|phi[34]?(?:-mini)?|qwen2(?:\.5)?(?:-coder)?|qwen3|deepseek-coder|starcoder2?|granite\S*-code|granite3\S*|stable-code|tinyllama|smollm2?|orca-mini|vicuna|zephyr|neural-chat|yi-coder|codeqwen|hermes3)(?::latest)?$/i;

/** What a small model is asked with unless it is configured: edits by text, since row references cost it more errors. */
export function smallModel(id: string): Pick<ModelSettings, "small" | "edits"> {
  const name = id.split("/").at(-1) ?? id;
  const [, billions] = /(?:^|[-_:.])(\d+(?:\.\d+)?)b(?:$|[-_.:])/i.exec(name) ?? [];
  // "30b-a3b": all of it is loaded, and it knows more than the part that runs.
  const isSmall = billions === undefined ? smallFamilies.test(name) : Number(billions) <= smallBillions;
  return isSmall ? { small: true, edits: "text" } : {};
}
