// POST /api/push/test (PROTOCOL 3.3): sends one notification, so that a person can see whether their phone gets it.
import { Hono } from "hono/tiny";
import { PushTest } from "../../shared/push.ts";
import type { Deps } from "../deps.ts";
import { readJson } from "./read-json.ts";

export function pushRoutes(deps: Deps): Hono {
  return new Hono().post("/push/test", async (c) => {
    const { subscription } = await readJson(c, PushTest);
    const { sendTest } = await import("../notify/send-test.ts");
    await sendTest(deps, subscription);
    return c.json({ ok: true });
  });
}
