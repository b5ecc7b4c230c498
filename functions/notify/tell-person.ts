// Notifies the person of a turn that ended while no one watched it. Loaded with the first notification.
import { endOfEndpoint } from "../../shared/device-notes.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { News } from "../../shared/push.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { newsOf, runningNews } from "./news.ts";
import { sendPush } from "./send-push.ts";
import { sendWebhook } from "./send-webhook.ts";
import { isWanted } from "./wanted.ts";

/** Never throws: a failed notification does not affect the turn. The result is logged. */
export async function tellPerson(
  deps: Deps,
  request: TurnRequest,
  events: readonly TurnEvent[],
): Promise<void> {
  const news = newsOf(request, events);
  if (!news) return;
  const { webhook } = deps.notify;
  await Promise.all([
    pushNews(deps, request, news),
    webhook &&
      sendWebhook(deps, webhook, news).then((taken) =>
        log(deps, news, taken ? "posted" : "HANDRAIL_NOTIFY_URL did not take it."),
      ),
  ]);
}

/** Notifies the person that a turn is still running. Never throws. */
export async function tellRunning(deps: Deps, request: TurnRequest): Promise<void> {
  await pushNews(deps, request, runningNews(request, request.options.notify?.runningMinutes ?? 0));
}

async function pushNews(deps: Deps, request: TurnRequest, news: News): Promise<void> {
  const { push } = deps.notify;
  const subscription = request.options.notify;
  if (!push || !subscription) return;
  if (!isWanted(subscription, news.kind, deps.now())) return log(deps, news, "not wanted now");
  try {
    const pushed = await sendPush(deps, push, subscription, news);
    log(deps, news, pushed.is === "refused" ? pushed.why : pushed.is);
    if (pushed.is === "gone") await noteEnd(deps, news, subscription.endpoint);
  } catch {
    log(deps, news, "The subscription names an address that may not be called.");
  }
}

/**
 * Notes for the phone that its subscription has ended. The phone reads this with the session and subscribes again.
 * Never rejects.
 */
async function noteEnd(deps: Deps, { sandboxId }: News, endpoint: string): Promise<void> {
  await deps.sandbox.tell(sandboxId, "notes", { endedPush: endOfEndpoint(endpoint) }).catch(() => undefined);
}

function log(deps: Deps, { sandboxId, turnId, kind }: News, outcome: string): void {
  deps.log({ event: "notified", sandboxId, turnId, kind, outcome });
}
