// The network that a person opened on the phone for commands of a sandbox that has none: for one command line
// once, or for the session. Stored in the sandbox's record, which no command can write.
import { HandrailError } from "../../shared/errors.ts";
import type { Opened, OpenNetwork } from "../../shared/network.ts";
import * as limits from "../limits.ts";
import { type Sandbox, saveRecord } from "../sandbox.ts";

export const nothingOpened: Opened = { session: false, never: false, once: [] };

/** Throws `invalid_request` if the scope is `once` and no command is given. */
export async function openNetwork(sandbox: Sandbox, { scope, command }: OpenNetwork): Promise<Opened> {
  const { record } = sandbox;
  const { once } = record.opened ?? nothingOpened;
  if (scope === "once" && command === undefined)
    throw new HandrailError(
      "invalid_request",
      "command: missing; say which command may use the network once.",
    );
  const more = scope === "once" && command !== undefined ? [command] : [];
  record.opened = {
    session: scope === "session",
    never: scope === "never",
    once: [...new Set([...once, ...more])].slice(-limits.netOnce),
  };
  await saveRecord(sandbox);
  return record.opened;
}

/** Revokes everything that was opened. */
export async function closeNetwork(sandbox: Sandbox): Promise<void> {
  delete sandbox.record.opened;
  await saveRecord(sandbox);
}

/** Whether `command`, which begins now, may use the network. Uses up a permission for one run. */
export async function takeOpened(sandbox: Sandbox, command: string): Promise<boolean> {
  const { opened } = sandbox.record;
  if (!opened) return false;
  if (opened.session) return true;
  const same = opened.once.find((each) => bare(each) === bare(command));
  if (same === undefined) return false;
  sandbox.record.opened = { ...opened, once: opened.once.filter((each) => each !== same) };
  // Saved before the command begins, so that a server that dies meanwhile cannot open it a second time.
  await saveRecord(sandbox);
  return true;
}

/**
 * The command without the parts that only shorten its output. To a person it is the same command, and models
 * try again with `2>&1 | tail -20` at its end. Nothing else is ignored: with other words in front, or in
 * another order, it may be another command.
 */
function bare(command: string): string {
  return command.trim().replace(/(?:\s+2>&1|\s*\|\s*(?:tail|head)(?:\s+-n?\s*\d+)?)+$/, "");
}
