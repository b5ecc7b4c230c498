// Makes one folder and tells whether it is new.
import { mkdir } from "node:fs/promises";
import { errnoOf } from "./fs-error.ts";

/**
 * False = it existed already. Does not use `recursive`, because with it Node 20 reports ENOENT instead of
 * EROFS on a read-only disk.
 */
export async function newFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  }
}
