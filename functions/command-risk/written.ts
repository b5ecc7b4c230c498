// The files that a program writes, as its command line names them.
import type { Word } from "./shell-word.ts";

export interface Written {
  /**
   * Files that are changed, created or moved. They need permission outside the workspace and in git's folder.
   */
  touched: readonly Word[];
  /**
   * The targets of links. They need permission like `touched`, although a link to a place outside the workspace loses
   * nothing there.
   */
  leads?: readonly Word[];
  /** Files whose contents are replaced as a whole. */
  replaced?: readonly Word[];
  /** Files that are left empty. */
  emptied?: readonly Word[];
}
