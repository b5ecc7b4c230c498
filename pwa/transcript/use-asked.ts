// A permission or a plan that arrives is read from its top: the transcript goes there, unless somebody is typing.
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { waitingFor } from "../../shared/session/waiting.ts";
import { isTyping } from "../browser/typing.ts";
import type { OpenSession } from "../session/open-session.ts";
import { scrollTarget } from "../session/scroll-target.ts";
import { askedKey } from "../session/seen-command.ts";

export function useAsked(session: OpenSession, box: RefObject<HTMLElement | null>): void {
  const waiting = waitingFor(session.settled.value);
  const key =
    waiting.kind === "permission"
      ? askedKey(session, waiting.permission)
      : waiting.kind === "proposal"
        ? waiting.planHash
        : null;
  const plan = waiting.kind === "proposal";
  const went = useRef(false);
  useEffect(() => {
    if (key === null) {
      // Decided: from here on the newest is followed again.
      if (went.current) scrollTarget.value = { to: "newest" };
      went.current = false;
      return;
    }
    const card = box.current?.querySelector(plan ? ".card.plan" : ".card.permission");
    if (!card || !box.current || isTyping()) return;
    if (card.getBoundingClientRect().top >= box.current.getBoundingClientRect().top) return;
    went.current = true;
    scrollTarget.value = { to: plan ? "plan" : "permission" };
  }, [key]);
}
