// POST /api/push/test (PROTOCOL 3.3): one notification, so that a person sees whether their phone gets them.
import { Hono } from "hono/tiny";
import { HandrailError } from "../../shared/errors.ts";
import { PushTest } from "../../shared/push.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "./read-json.ts";

export function pushRoutes(deps: Deps): Hono {
  return new Hono().post("/push/test", async (c) => {
    const { subscription } = await readJson(c, PushTest);
    const { push } = deps.notify;
    if (!push)
      throw new HandrailError(
        "unsupported",
        "This server has no keys for notifications. Set HANDRAIL_VAPID_PUBLIC, HANDRAIL_VAPID_PRIVATE and HANDRAIL_VAPID_SUBJECT.",
      );
    const { checkAccepted, sendPush } = await import("../notify/send-push.ts");
    const line = "Notifications arrive on this phone.";
    const news = { kind: "test" as const, sandboxId: "", turnId: "", title: "Handrail", line };
    checkAccepted(await sendPush(deps, push, subscription, news));
    return c.json({ ok: true });
  });
}
