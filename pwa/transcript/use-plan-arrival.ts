// A plan that arrives is read from its goal: the transcript goes there, unless somebody is typing.
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { waitingFor } from "../../shared/session/waiting.ts";
import { isTyping } from "../browser/typing.ts";
import type { OpenSession } from "../session/open-session.ts";
import { foundRow, scrollTarget } from "../session/scroll-target.ts";

export function usePlanArrival(session: OpenSession, box: RefObject<HTMLElement | null>): void {
  const waiting = waitingFor(session.settled.value);
  const key = waiting.kind === "proposal" ? waiting.planHash : null;
  useEffect(() => {
    const card = key === null ? null : box.current?.querySelector(".card.plan");
    // Whoever came by a search reads what was found.
    if (!card || !box.current || isTyping() || foundRow.peek() !== null) return;
    if (card.getBoundingClientRect().top < box.current.getBoundingClientRect().top)
      scrollTarget.value = { to: "plan" };
  }, [key]);
}
