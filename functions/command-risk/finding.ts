// The result of a rule about a command.
import type { Risk } from "../../shared/event.ts";
import type { ExactCommand } from "../../shared/grant.ts";

export interface Finding {
  risk: Extract<Risk, "destructive" | "remote">;
  /** Its effect is unknown, so it may also use the network. */
  unknown?: true;
  /**
   * No snapshot can undo it, because it affects git's history, or files and data that snapshots do not contain. Auto
   * mode asks too.
   */
  lost?: true;
  /** It creates a commit. Only auto mode asks about it, and only if the person did not ask for commits. */
  commits?: true;
  /** A sentence for the person. */
  why: string;
  /** The subcommand or target, in the words of the command line. */
  subcommand: string;
  /**
   * True if `subcommand` names the verb and every machine or remote, and the command sends no other data; see
   * grant-scope.ts.
   */
  named?: true;
}

export interface CommandRisk extends Finding {
  program: string;
  /** A grant covers only this exact command. */
  only?: ExactCommand;
}

/** Its effect is unknown, so it may also use the network. */
export function unseen(subject: string, subcommand: string, why: string): Finding {
  return { risk: "destructive", unknown: true, why, subcommand: `${subject} ${subcommand}` };
}
