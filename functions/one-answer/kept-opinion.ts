// Stores second opinions in journals of their session. Each has its own journal, which no turn claims, so every process
// finds the opinions that were paid for, and they are not part of the session's history.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { SecondOpinion } from "../../shared/second-opinion.ts";
import { eventMessage } from "../calls/tool-turn.ts";
import type { Deps } from "../deps.ts";

/** `hash`: that of the request. */
interface OpinionPlace {
  sandboxId: string;
  hash: string;
}

const journalOf = (hash: string) => `opinion-${hash}`;

const KeptOpinion = z.object({
  message: z.object({ extra: z.object({ event: z.object({ data: SecondOpinion }) }) }),
});

/**
 * undefined = none is stored. Throws if the sandbox cannot be asked, because asking the model again might mean paying
 * twice.
 */
export async function keptOpinion(
  { sandbox }: Deps,
  { sandboxId, hash }: OpinionPlace,
): Promise<SecondOpinion | undefined> {
  try {
    for await (const line of sandbox.journal(sandboxId, journalOf(hash), 0, 0)) {
      const [event] = line.type === "record" ? line.events : [];
      const { data } = z.safeParse(KeptOpinion, event?.data);
      if (data) return data.message.extra.event.data;
    }
  } catch (error) {
    if (!(error instanceof HandrailError) || error.code !== "not_found") throw error;
  }
  return undefined;
}

/** The client gets the opinion even if it cannot be stored. */
export async function keepOpinion(
  { sandbox, now }: Deps,
  { sandboxId, hash }: OpinionPlace,
  opinion: SecondOpinion,
): Promise<void> {
  const id = journalOf(hash);
  const { model } = opinion;
  const content = `A second opinion by ${model.id}.`;
  const said = { id, at: now(), subkind: "second_opinion", source: model.id, content, data: opinion };
  const record = [{ id: 1, event: "message", data: { message: eventMessage({ mode: "plan" }, said) } }];
  const turn = { id, epoch: 1, round: 0, record };
  try {
    for await (const _ of sandbox.calls(sandboxId, { access: "readonly", turn, calls: [] }));
  } catch {}
}
