// What a program writes, as the words of its command line name it.
import type { Word } from "./shell-word.ts";

export interface Written {
  /** Changed, made or moved: asks outside the workspace and in git's folder. */
  touched: readonly Word[];
  /** Where links lead: asks like `touched`, though nothing outside the workspace is lost by a link to it. */
  leads?: readonly Word[];
  /** Their contents are replaced as a whole. */
  replaced?: readonly Word[];
  /** Nothing comes in their place. */
  emptied?: readonly Word[];
}
