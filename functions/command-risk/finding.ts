// What a rule about a command found.
import type { Risk } from "../../shared/event.ts";

export interface Finding {
  risk: Extract<Risk, "destructive" | "remote">;
  /** What it does is not known: it may reach out as well. */
  unknown?: true;
  /** A sentence for the person. */
  why: string;
  /** What is done beside the program, in its own words. */
  subcommand: string;
  /** `subcommand` names the verb and every machine or remote, and nothing else is sent: see grant-scope.ts. */
  named?: true;
}
