// Names a session without a plan: asks its model for a title once, after the first turn.
import type { ModelDraftRequest } from "../../shared/model-draft.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import type { Api } from "../api/client.ts";
import type { Kv } from "../storage/kv.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { addCost, spendLimitNow } from "./spending.ts";

/** The first part of a message, long enough to show what it is about. */
const maxSaidChars = 2_000;

/** The parts of a session that its name depends on. */
export interface NamedSession {
  readonly record: { readonly value: SessionRecord };
  readonly state: { readonly value: SessionState };
  rename(title: string): void;
  choose(change: Partial<SessionRecord>): Promise<void>;
}

/** If the model gives no usable name, the first message stays the title. Never throws. */
export async function nameByModel(
  session: NamedSession,
  { api, kv, now }: { api: Pick<Api, "draft">; kv: Kv; now(): number },
): Promise<void> {
  const said = saidOnce(session.state.value);
  const isNamed = () => session.record.value.title !== session.record.value.given;
  const { model, spent } = session.state.value.head;
  if (said === undefined || isNamed() || spendLimitNow(now(), spent.cost) === 0) return;
  const asked: ModelDraftRequest = {
    kind: "title",
    text: said.slice(0, maxSaidChars),
    ...(model && { model }),
  };
  const draft = await api.draft(asked).catch(() => undefined);
  if (draft?.cost) await addCost(kv, now(), draft.cost);
  if (draft === undefined || isNamed()) return;
  session.rename(draft.text);
  // The title counts as the app's, so that a later plan, which says more, can replace it.
  await session.choose({ given: session.record.value.title });
}

/** The only message of a session whose first turn has ended without a plan. */
function saidOnce({ head, entries }: SessionState): string | undefined {
  if (head.plan !== null || head.turn?.reason !== "stop" || entries.length < head.entryCount)
    return undefined;
  const said = entries.flatMap((entry) =>
    entry.event === "message" && entry.data.message.role === "user" ? [entry.data.message.content] : [],
  );
  return said.length === 1 ? said[0] : undefined;
}
