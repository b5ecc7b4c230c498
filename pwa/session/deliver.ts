// When the agent asks the person to deliver its work (`deliver`): opens the sheet with the agent's draft, and answers
// the agent afterwards.
import * as z from "zod/mini";
import { type Permission, waitingFor } from "../../shared/session/waiting.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { openSheet } from "../browser/sheet.ts";
import { decide } from "./decisions.ts";
import type { OpenSession } from "./open-session.ts";

const DeliverCall = z.object({
  do: z.enum(["commit", "push", "pull_request"]),
  /** The first line is the title. */
  text: z.optional(z.string()),
});
type DeliverCall = z.infer<typeof DeliverCall>;

/** undefined if the permission is for another tool. */
export function askedDelivery({
  name,
  arguments: json,
}: Pick<Permission, "name" | "arguments">): DeliverCall | undefined {
  if (name !== "deliver") return undefined;
  try {
    return z.parse(DeliverCall, JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Opens the same sheet that a person would open, filled with the agent's draft. */
export function openDelivery(session: OpenSession, { do: what, text = "" }: DeliverCall): void {
  const { branch } = session.record.value;
  if (what === "pull_request") {
    const [title = "", ...rest] = text.trim().split("\n");
    openSheet({ kind: "pull-request", title, text: rest.join("\n").trim() });
    return;
  }
  if (what === "push" && branch !== undefined) {
    openSheet({ kind: "push", branch });
    return;
  }
  // A field shows its text as it is, so characters that would be invisible there are written out.
  if (text.trim() !== "") session.setDraft({ commitMessage: visibleText(text.trim()) });
  openSheet({ kind: "commit" });
}

/** The call that waits for this delivery; undefined if there is none. */
export function waitingDelivery(session: OpenSession, what: DeliverCall["do"]): Permission | undefined {
  const waiting = waitingFor(session.state.value);
  if (waiting.kind !== "permission") return undefined;
  return waiting.asked.find((one) => askedDelivery(one)?.do === what);
}

/**
 * Answers the call that waits for this delivery, in words for the agent. Sends nothing if a different call waits.
 */
export function delivered(session: OpenSession, what: DeliverCall["do"], said: string): void {
  const asked = waitingDelivery(session, what);
  if (asked) decide(session, asked, "once", said);
}
