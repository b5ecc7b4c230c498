// What a rule about a command found.
import type { Risk } from "../../shared/event.ts";
import type { ExactCommand } from "../../shared/grant.ts";

export interface Finding {
  risk: Extract<Risk, "destructive" | "remote">;
  /** Its effect is unknown, so it may also use the network. */
  unknown?: true;
  /** No snapshot brings it back: history, or files and data that snapshots do not hold. Auto mode asks as well. */
  lost?: true;
  /** It makes a commit: asked in auto mode alone, where the person asked for none. */
  commits?: true;
  /** A sentence for the person. */
  why: string;
  /** The subcommand or target, in the words of the command line. */
  subcommand: string;
  /** `subcommand` names the verb and every machine or remote, and nothing else is sent: see grant-scope.ts. */
  named?: true;
}

export interface CommandRisk extends Finding {
  program: string;
  /** A grant of it covers this alone. */
  only?: ExactCommand;
}

/** Its effect is unknown, so it may also use the network. */
export function unseen(subject: string, subcommand: string, why: string): Finding {
  return { risk: "destructive", unknown: true, why, subcommand: `${subject} ${subcommand}` };
}
