// The part of the service worker that is our own: notifications, and what is tapped on them. The rest keeps the app offline.
import { openKv } from "../storage/kv.ts";
import { keepAnswersScript } from "./answers-script.ts";
import { renewSubscription } from "./renew.ts";
import { scope } from "./scope.ts";
import { showPush } from "./show-push.ts";
import { giveAllKept, onTap, syncTag } from "./tap.ts";

const kv = openKv();

scope.addEventListener("install", keepAnswersScript);
scope.addEventListener("push", (event) => {
  event.waitUntil(showPush(kv, event.data?.text() ?? ""));
  // There is a connection: what could not be sent before goes out, whether or not the browser promised to say so.
  event.waitUntil(giveAllKept(kv).catch(() => undefined));
});
scope.addEventListener("notificationclick", (event) => event.waitUntil(onTap(kv, event)));
scope.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewSubscription(kv)));
scope.addEventListener("sync", (event) => {
  if (event.tag === syncTag) event.waitUntil(giveAllKept(kv));
});
