// What the marker of a long history carries of the messages before it. Shapes only.
import * as z from "zod/mini";
import { Calibration, EventMessage } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { EditedFile } from "../../shared/plan/edited-file.ts";

/** What the messages before a tail held and a turn still needs. Kept in the `data` of the marker. */
export const Carried = z.object({
  /** Messages before the marker, those before an earlier one included; markers aside. */
  messages: z.number(),
  /** Mode and request size of the last assistant message. */
  mode: z.nullable(Mode),
  contextTokens: z.number(),
  /** The calibration of the model at that point. */
  calibration: z.optional(Calibration),
  /** Answered `ask_user` calls, and files changed, since the last finished plan. */
  asked: z.number(),
  files: z.array(EditedFile),
  /** The latest answers, as their result says them. */
  ledger: z.nullable(z.string()),
  proposal: z.nullable(z.object({ planVersion: z.number(), planHash: z.string() })),
  /**
   * Hidden messages that still apply: project instructions, features that a model was found to refuse, the last change
   * of mode, checks of the active plan, and grants of the session. The model reads them; they grant nothing.
   */
  kept: z.array(EventMessage),
});
export type Carried = z.infer<typeof Carried>;

export const nothingCarried: Carried = {
  messages: 0,
  mode: null,
  contextTokens: 0,
  asked: 0,
  files: [],
  ledger: null,
  proposal: null,
  kept: [],
};
