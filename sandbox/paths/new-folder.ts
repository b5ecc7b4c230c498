// Makes one folder, and tells whether it was there.
import { mkdir } from "node:fs/promises";
import { errnoOf } from "./fs-error.ts";

/** False = it was there. Not `recursive`, which on a read-only disk says ENOENT instead of EROFS (Node 20). */
export async function newFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  }
}
