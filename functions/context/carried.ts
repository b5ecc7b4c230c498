// What the marker of a long history carries over from the messages before it. Shapes only.
import * as z from "zod/mini";
import { Calibration, EventMessage } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { EditedFile } from "../../shared/plan/edited-file.ts";

/** What a turn still needs from the messages before the tail. Stored in the `data` of the marker. */
export const Carried = z.object({
  /** The number of messages before the marker, including those before an earlier marker, but not the markers. */
  messages: z.number(),
  /** Mode and request size of the last assistant message. */
  mode: z.nullable(Mode),
  contextTokens: z.number(),
  /** The last calibration before the marker. */
  calibration: z.optional(Calibration),
  /** `ask_user` calls that were answered, and files that were changed, since the last finished plan. */
  asked: z.number(),
  files: z.array(EditedFile),
  /** The latest answers, in the words of their result. */
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
