// After a spending limit stopped a turn: a link to the limit and, once the limit allows it, a button to continue.
import { useEffect } from "preact/hooks";
import type { ErrorInfo } from "../../shared/errors.ts";
import { kv } from "../app/app-state.ts";
import { go } from "../browser/route.ts";
import type { OpenSession } from "../session/open-session.ts";
import { loadSpending, spending, spendLimitNow } from "../session/spending.ts";
import { spendLimitWords } from "../words/spend-limit-words.ts";

export function SpendLimitBar({ session, error }: { session: OpenSession; error: ErrorInfo }) {
  useEffect(() => {
    void loadSpending(kv);
  }, []);
  const { spent = 0, limit = 0, next = 0 } = numbersOf(error);
  // A limit of the server cannot be changed on this device. If this device has a limit, it is the one that stopped the
  // turn.
  const own = spending.value.caps.session !== null || spending.value.caps.day !== null;
  const left = spendLimitNow(Date.now(), session.settled.value.head.spent.cost);
  const { words, canContinue } = spendLimitWords({ left, next, leftThen: Math.max(0, limit - spent) });
  return (
    <div class="actions">
      <p class="bar-words">{words}</p>
      {own && !canContinue && (
        <button type="button" class="button go" onClick={() => go({ page: "settings" })}>
          Change the limit
        </button>
      )}
      {(canContinue || !own) && (
        <button type="button" class="button go" onClick={() => session.send({ type: "continue" })}>
          Retry
        </button>
      )}
    </div>
  );
}

function numbersOf({ details = {} }: ErrorInfo): { spent?: number; limit?: number; next?: number } {
  const known = Object.entries(details).filter(([, value]) => typeof value === "number");
  return Object.fromEntries(known);
}
