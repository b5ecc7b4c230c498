// What suites of notifications are given beside the rest: a push service, a server that may call it, and a phone that is
// subscribed there.
import type { Page, Worker } from "playwright-core";
import { makeVapidPair } from "../../scripts/launch/vapid.ts";
import { News } from "../../shared/push.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import type { ModelServer } from "../fakes/model-server.ts";
import { type PushService, startPushService } from "../fakes/push-service.ts";
import type { Product } from "../harness/product.ts";
import { test as plain } from "./fixture.ts";
import { newSession, newTab, type Phone, pair, say } from "./phone.ts";
import { deliver, givePush, workerOf } from "./push-phone.ts";

const keys = makeVapidPair();

export const test = plain
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no other fixture is needed.
  .extend("service", { scope: "file" }, async ({}, { onCleanup }) => {
    const service = await startPushService(keys.publicKey);
    onCleanup(() => service.close());
    return service;
  })
  .extend("serverEnv", { scope: "file" }, ({ service }) => ({
    HANDRAIL_VAPID_PUBLIC: keys.publicKey,
    HANDRAIL_VAPID_PRIVATE: keys.privateKey,
    HANDRAIL_VAPID_SUBJECT: "mailto:me@example.com",
    HANDRAIL_PUSH_ORIGINS: service.origin,
  }));

export interface Parts {
  phone: Phone;
  product: Product;
  model: ModelServer;
  service: PushService;
}

/** A turn's answer that waits until it is told. */
export function later(): { hold: Promise<void>; answer(): void } {
  let answer: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return { hold, answer: () => answer() };
}

/** Pairs the phone, and turns notifications on in Settings. */
export async function subscribed({ phone, product, service }: Parts): Promise<Page> {
  const { page, context } = phone;
  await givePush(context, service.subscription);
  await pair(page, product);
  await page.goto(`${product.url}/#/settings`);
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("On. This device is notified").waitFor();
  await page.goto(`${product.url}/#/`);
  return page;
}

export interface Asking {
  worker: Worker;
  sessionId: string;
  /** Of the session's notification. */
  tag: string;
  news: News;
}

/**
 * The whole way: a turn is begun on the phone, its page is closed and leaves an empty one, `reply` of the model ends it, and what the server then
 * sends is taken by the push service, decrypted, and delivered to Chromium. `then`: what the model answers after that.
 */
export async function leftAsking(parts: Parts, reply: ModelReply, then: ModelReply[] = []): Promise<Asking> {
  const { phone, product, model } = parts;
  await subscribed(parts);
  const page = await newTab(phone.context, phone.errors);
  await page.goto(`${product.url}/#/`);
  await phone.page.goto("about:blank");
  const { hold, answer } = later();
  model.play([{ ...reply, hold }, ...then]);
  const asked = model.requests.length + 1;
  await newSession(page);
  await say(page, "Go on, please.");
  await model.request(asked);
  const sessionId = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? "";
  const worker = await workerOf(page);
  await page.close();
  answer();
  const news = await pushed(parts);
  return { worker, sessionId, tag: `session/${sessionId}`, news };
}

/** The next message to the push service, delivered to the browser. */
export async function pushed({ phone, service, product }: Parts): Promise<News> {
  const { text } = await service.next();
  await deliver(phone.page, product.url, text);
  return News.parse(JSON.parse(text));
}
