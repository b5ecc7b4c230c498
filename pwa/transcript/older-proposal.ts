// A proposal as histories of an older form hold it: the result of `propose_plan`, with or without the plan's text. Pure.
import * as z from "zod/mini";
import type { CallView } from "./rows.ts";

const OlderProposal = z.object({
  success: z.boolean(),
  planPath: z.optional(z.string()),
  planContent: z.optional(z.string()),
  version: z.optional(z.number()),
});
export type OlderProposal = z.infer<typeof OlderProposal>;

/** undefined where the call is no proposal that was made. */
export function olderProposal({ call, result }: CallView): OlderProposal | undefined {
  if (call.name !== "propose_plan" || result === undefined || !result.ok) return undefined;
  try {
    const parsed = z.safeParse(OlderProposal, JSON.parse(result.content.replace(/\n?\[meta\][^\n]*$/, "")));
    return parsed.success && parsed.data.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
