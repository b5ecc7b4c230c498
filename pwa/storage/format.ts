// The version of the storage format of this device. Data in a newer format is left unchanged: a version that misreads
// it would overwrite it.
import type { Kv } from "./kv.ts";

/**
 * Increased by every change that earlier versions would misread. The first write stores it under `format`; if absent,
 * the format is 1.
 */
const databaseFormat = 1;

export class NewerFormat extends Error {
  override readonly name = "NewerFormat";
}

/** Throws NewerFormat, with words for the person, if a newer Handrail has written here. */
export async function checkFormat(kv: Kv): Promise<void> {
  const format = await kv.get("format");
  if (typeof format !== "number" || format <= databaseFormat) return;
  throw new NewerFormat(
    "What this device keeps was written by a newer Handrail, and is left as it is. Update the server, then reload the page.",
  );
}
