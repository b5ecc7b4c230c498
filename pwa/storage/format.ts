// The format of what this device keeps. Data in a newer format is left unchanged: a version that misreads it would
// overwrite it.
import type { Kv } from "./kv.ts";

/** Grows with a change that earlier versions would misread; its writer stores it as `format`. Absent = 1. */
const databaseFormat = 1;

export class NewerFormat extends Error {
  override readonly name = "NewerFormat";
}

/** Throws NewerFormat, with words for people, if a newer Handrail has written here. */
export async function checkFormat(kv: Kv): Promise<void> {
  const format = await kv.get("format");
  if (typeof format !== "number" || format <= databaseFormat) return;
  throw new NewerFormat(
    "What this device keeps was written by a newer Handrail, and is left as it is. Update the server, then reload the page.",
  );
}
