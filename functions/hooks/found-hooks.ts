// Reports that a project has hooks: once when a session begins, and again if they have changed. The client then shows a
// card.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { hooksFile, hooksFound } from "../../shared/hooks-found.ts";
import type { EventMessage } from "../../shared/message.ts";
import { type CallResult, ReadValue } from "../../shared/sandbox.ts";
import { plainRows } from "../inputs/instructions.ts";
import { hooksIn } from "./read-hooks.ts";

type Common = Pick<EventMessage, "id" | "mode">;

/**
 * `read`: the file at the beginning of the session. An unreadable file is reported too, because the client then
 * shows why.
 */
export async function hooksAtBegin(read: CallResult | undefined, common: Common): Promise<EventMessage[]> {
  if (!read?.ok) return [];
  try {
    const hooks = await hooksIn(plainRows(z.parse(ReadValue, read.value).rows));
    return hooks ? [foundHooks(hooks.hash, common, read.at)] : [];
  } catch (error) {
    if (error instanceof HandrailError) return [foundHooks("", common, read.at)];
    throw error;
  }
}

/** The hidden message. `hash`: "" = the hooks cannot be read. */
export function foundHooks(hash: string, common: Common, createdAt: number): EventMessage {
  const content = `The project has hooks (${hooksFile}): commands that run around turns, steps and changes, once the person has allowed them as they read.`;
  const event = { subkind: "system_notice", source: hooksFound, data: { hash } };
  return { ...common, role: "event", content, createdAt, extra: { event } };
}
