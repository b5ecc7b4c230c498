import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sendPush } from "../../../functions/notify/send-push.ts";
import { makeVapidPair } from "../../../scripts/launch/vapid.ts";
import type { News } from "../../../shared/push.ts";
import { type PushService, startPushService } from "../../fakes/push-service.ts";

const keys = makeVapidPair();
const news: News = {
  kind: "questions",
  sandboxId: "s1",
  turnId: "t1",
  title: "Ünïcode",
  line: "Which database?",
};
let service: PushService;

beforeAll(async () => {
  service = await startPushService(keys.publicKey);
});
afterEach(() => service.answer());
afterAll(() => service.close());

function send(endpoint = service.subscription.endpoint, fetchWith: typeof fetch = fetch) {
  const settings = { ...keys, subject: "mailto:me@example.com", origins: [service.origin] };
  return sendPush(
    { fetch: fetchWith, now: () => Date.now() },
    settings,
    { ...service.subscription, endpoint },
    news,
  );
}

test("a message arrives encrypted for the browser, signed by the server, and replaces its session's last one", async () => {
  expect(await send()).toEqual({ is: "accepted" });
  const { headers, claims, text } = await service.next();
  expect(JSON.parse(text)).toEqual(news);
  expect(claims).toMatchObject({ aud: service.origin, sub: "mailto:me@example.com" });
  expect(headers).toMatchObject({
    urgency: "high",
    ttl: "86400",
    topic: expect.stringMatching(/^[\w-]{32}$/),
  });
});

describe("a refusal is explained", () => {
  test.each([
    [404, { is: "gone" }],
    [410, { is: "gone" }],
    [413, { is: "refused", why: expect.stringContaining("takes no message of this size") }],
    [403, { is: "refused", why: expect.stringContaining("HANDRAIL_VAPID_SUBJECT") }],
    [302, { is: "refused", why: expect.stringContaining("leads elsewhere") }],
    [500, { is: "refused", why: expect.stringContaining("500") }],
  ])("%i", async (status, expected) => {
    service.answer({ status, headers: status === 302 ? { location: `${service.origin}/other` } : {} });
    const before = service.requests();
    expect(await send()).toMatchObject(expected);
    expect(service.requests()).toBe(before + 1);
  });

  test("429 with the seconds to wait", async () => {
    service.answer({ status: 429, headers: { "retry-after": "30" } });
    expect(await send()).toMatchObject({ is: "refused", retryAfterSeconds: 30 });
  });

  test("a service that does not answer", async () => {
    // This is the error when a time limit ends a request.
    const late = () => Promise.reject(new DOMException("late", "TimeoutError"));
    expect(await send(undefined, late)).toMatchObject({
      is: "refused",
      why: expect.stringContaining("did not answer"),
    });
  });
});

describe("an address that is not a push service is never called", () => {
  test.each([
    "http://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/push",
    "https://evil.example/push",
    "https://fcm.googleapis.com.evil.example/push",
    "https://fcm.googleapis.com:8443/push",
    "https://user:pass@fcm.googleapis.com/push",
    "https://user@fcm.googleapis.com/push",
    "https://:pass@fcm.googleapis.com/push",
    "https://fcm.googleapis.com@10.0.0.1/push",
    "https://fcm.googleapis.com./push",
    "https://evilpush.apple.com/push",
    "https://push.apple.com.evil.example/push",
    "https://fcm.googleapis.co\u217f.evil.example/push",
    "https://0xa9fea9fe/push",
    "http://fcm.googleapis.com/push",
    "file:///etc/passwd",
    "not a url",
  ])("%s", async (endpoint) => {
    const called: unknown[] = [];
    const spy: typeof fetch = async (input) => {
      called.push(input);
      return new Response();
    };
    await expect(send(endpoint, spy)).rejects.toMatchObject({ code: "invalid_request" });
    expect(called).toEqual([]);
  });

  test.each([
    "https://fcm.googleapis.com/fcm/send/abc",
    "https://updates.push.services.mozilla.com/wpush/v2/abc",
    "https://web.push.apple.com/abc",
    "https://wns2-par02p.notify.windows.com/w/?token=abc",
  ])("%s is one", async (endpoint) => {
    const taken: typeof fetch = async () => new Response(null, { status: 201 });
    expect(await send(endpoint, taken)).toEqual({ is: "accepted" });
  });
});
