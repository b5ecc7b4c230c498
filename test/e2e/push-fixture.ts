// The additional fixtures of suites about notifications: a push service, a server that may call it, and a
// phone that is subscribed there.
import type { Page, Worker } from "playwright-core";
import { makeVapidPair } from "../../scripts/launch/vapid.ts";
import { News } from "../../shared/push.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import type { ModelServer } from "../fakes/model-server.ts";
import { type Delivered, type PushService, startPushService } from "../fakes/push-service.ts";
import { gate } from "../harness/gate.ts";
import type { Product } from "../harness/product.ts";
import { test as plain } from "./fixture.ts";
import { newSession, newTab, type Phone, pair, say } from "./phone.ts";
import { putKept } from "./phone-storage.ts";
import { deliver, givePush, workerOf } from "./push-phone.ts";

const keys = makeVapidPair();

export const test = plain
  .extend("wholeBrowser", { scope: "file" }, true)
  .extend("serviceWorker", true)
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

/** Pairs the phone and turns notifications on in Settings. */
export async function subscribed({ phone, product, service }: Parts): Promise<Page> {
  const { page, context } = phone;
  await givePush(context, service.subscription);
  await pair(page, product);
  // The app gives up after 10 s, and on a busy machine the worker's installation takes longer, so the test
  // waits for it first.
  await workerOf(page);
  await page.goto(`${product.url}/#/settings`);
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("On. This device is notified").waitFor();
  await page.goto(`${product.url}/#/`);
  return page;
}

export interface Asking {
  worker: Worker;
  sessionId: string;
  /** The tag of the session's notification. */
  tag: string;
  news: News;
  /** Lets the model continue with the answers after `reply`. */
  resume(): void;
  /**
   * As `resume`, after the server has noticed that the turn has no reader. Returns the news that the server
   * sends then, which Chromium gets too.
   */
  end(): Promise<News>;
}

/**
 * The value is in minutes: after this time the server notifies of a turn without readers. The server may
 * notice a closed page later.
 */
const toldWithin = 0.002;

/**
 * Goes the whole way: the phone begins a turn, and its page is replaced by an empty one. The model's `reply`
 * ends the turn, and the push service receives the server's news, which is decrypted and delivered to
 * Chromium. `then`: the model's answers after that.
 */
export async function leftAsking(parts: Parts, reply: ModelReply, then: ModelReply[] = []): Promise<Asking> {
  const { phone, product, model, service } = parts;
  await subscribed(parts);
  const page = await newTab(phone.context, phone.errors);
  await page.goto(`${product.url}/#/`);
  await phone.page.goto("about:blank");
  const { subscription } = service;
  const kept = { subscription, publicKey: keys.publicKey, asked: true, runningMinutes: toldWithin };
  await putKept(page, "notify", kept);
  const [answer, rest] = [gate(), gate()];
  const held = then.map((one) => ({ ...one, hold: rest.passed }));
  model.play([{ ...reply, hold: answer.passed }, ...held]);
  await newSession(page);
  await say(page, "Go on, please.");
  await page.getByText("You can lock your phone now.").waitFor();
  const sessionId = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? "";
  const worker = await workerOf(page);
  await page.close();
  await unread(service);
  answer.open();
  return {
    ...{ worker, sessionId, tag: `session/${sessionId}`, resume: rest.open },
    news: await pushed(parts),
    end: async () => {
      await unread(service);
      rest.open();
      return pushed(parts);
    },
  };
}

/** Resolves when the server has noticed that the running turn has no reader. */
async function unread(service: PushService): Promise<void> {
  const { kind } = newsIn(await service.next());
  if (kind !== "running") throw new Error(`The service was sent ${kind}.`);
}

/** The next message to the push service, delivered to the browser. */
export async function pushed({ phone, service, product }: Parts): Promise<News> {
  const message = await service.next();
  await deliver(phone.page, product.url, message.text);
  return newsIn(message);
}

function newsIn({ text }: Delivered): News {
  return News.parse(JSON.parse(text));
}
