// Calls the person of a turn that ended while nobody watched it. Loaded when there is somebody to call.
import type { TurnEvent } from "../../shared/event.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { newsOf } from "./news.ts";
import { sendPush } from "./send-push.ts";
import { sendWebhook } from "./send-webhook.ts";

/** Never throws: a call that does not come through changes nothing about the turn. The log says how it went. */
export async function tellPerson(
  deps: Deps,
  request: TurnRequest,
  events: readonly TurnEvent[],
): Promise<void> {
  const { push, webhook } = deps.notify;
  const subscription = request.options.notify;
  const news = newsOf(request, events);
  if (!news) return;
  const { sandboxId, turnId, kind } = news;
  const log = (outcome: string) => deps.log({ event: "notified", sandboxId, turnId, kind, outcome });
  await Promise.all([
    push &&
      subscription &&
      sendPush(deps, push, subscription, news).then(
        (pushed) => log(pushed.is === "refused" ? pushed.why : pushed.is),
        () => log("The subscription names an address that may not be called."),
      ),
    webhook &&
      sendWebhook(deps, webhook, news).then((taken) =>
        log(taken ? "posted" : "HANDRAIL_NOTIFY_URL did not take it."),
      ),
  ]);
}
