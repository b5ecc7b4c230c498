// The three modes of a session, and the order in which a person cycles through them.
import * as z from "zod/mini";

/** The mode decides who may write and how much the person is asked; the mode pill shows it. */
export const Mode = z.literal(["normal", "plan", "auto"]);
export type Mode = z.infer<typeof Mode>;

const cycle: Record<Mode, Mode> = { normal: "plan", plan: "auto", auto: "normal" };

/** The mode after `mode` in the cycle Normal → Plan → Auto → Normal. */
export function nextMode(mode: Mode): Mode {
  return cycle[mode];
}
