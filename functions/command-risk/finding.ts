// What a rule about a command found.
import type { Risk } from "../../shared/event.ts";

export interface Finding {
  risk: Extract<Risk, "destructive" | "remote">;
  /** What it does is not known: it may reach out as well. */
  unknown?: true;
  /** A sentence for the person. */
  why: string;
  /** What a grant for the session covers beside the program. */
  subcommand: string;
  /** What it destroys depends on all of the command line and on the folder: a grant covers that very text there. */
  exact?: true;
}
