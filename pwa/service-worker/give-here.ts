// Gives a kept answer from the service worker. The worker acts as one more tab, which writes the session for as long as
// this takes.
import { createApi } from "../api/client.ts";
import { newId } from "../browser/ids.ts";
import { isOnline, sleep } from "../browser/page-signals.ts";
import type { Given } from "../session/give-answer.ts";
import { giveAnswer } from "../session/give-answer.ts";
import { helpersOf } from "../session/helpers-of.ts";
import { OpenSession } from "../session/open-session.ts";
import type { KeptAnswer } from "../storage/kept-answer.ts";
import type { Kv } from "../storage/kv.ts";
import { mcpTokens, tokenHeader } from "../storage/mcp-tokens.ts";
import { readSettings } from "../storage/settings.ts";
import { openPages, scope } from "./scope.ts";

/** Browsers let a worker run longer than this for one event. */
const giveWithinMs = 20_000;
/** The visible page answers at once whether it takes the answer. */
const pageAnswersMs = 1_000;
const frameMs = 50;

/** Gives the answer; undefined if a visible page gives it. Never rejects. */
export async function giveHere(kv: Kv, answer: KeptAnswer): Promise<Given | undefined> {
  try {
    if (await givenInFront(answer.sessionId)) return undefined;
    return await asWriter(answer.sessionId, (over) => giveAs(kv, answer, over));
  } catch {
    return { is: "waits" };
  }
}

/** Returns whether a visible page says that it sends the session's stored answer. */
async function givenInFront(sessionId: string): Promise<boolean> {
  const pages = (await openPages()).filter(({ visibilityState }) => visibilityState === "visible");
  if (pages.length === 0) return false;
  const heard = new BroadcastChannel("handrail-answers");
  const over = new AbortController();
  try {
    const taken = new Promise<boolean>((resolve) => {
      heard.onmessage = ({ data }: MessageEvent<unknown>) => data === `gives ${sessionId}` && resolve(true);
    });
    for (const page of pages) page.postMessage({ give: sessionId });
    return await Promise.race([taken, sleep(pageAnswersMs, over.signal).then(() => false)]);
  } finally {
    over.abort();
    heard.close();
  }
}

/** Runs `work` with the session's lock. A page in the background that had the lock becomes a reader meanwhile. */
function asWriter(sessionId: string, work: (over: AbortSignal) => Promise<Given>): Promise<Given> {
  const over = new AbortController();
  void sleep(giveWithinMs, over.signal).then(() => over.abort());
  const held = scope.navigator.locks.request(`session/${sessionId}`, { steal: true }, () =>
    work(over.signal),
  );
  // Rejects if a page took the session back: that page then sends the stored answer.
  return held.finally(() => over.abort());
}

async function giveAs(kv: Kv, answer: KeptAnswer, over: AbortSignal): Promise<Given> {
  const settings = await readSettings(kv);
  const { token, client, keys, mcp, helpers } = settings;
  if (token === null) return { is: "refused", why: "This device is not paired any more." };
  let unauthorized = false;
  let firstProvider: string | undefined;
  const api = createApi({
    fetch: (input, init) => fetch(input, init),
    token: () => token,
    modelKey: (provider) => keys?.[provider ?? firstProvider ?? ""],
    mcpHeaders: (servers) => tokenHeader(mcpTokens(kv), servers),
    onUnauthorized: () => {
      unauthorized = true;
    },
  });
  // If the person has their own keys, the configuration says which provider answers by default. If a model for helpers
  // is chosen, it says whether that model still exists.
  const asks = Boolean(helpers) || (keys !== undefined && Object.keys(keys).length > 0);
  const config = asks ? await api.config().catch(() => undefined) : undefined;
  firstProvider = config?.providers[0]?.id;
  const tabs = new BroadcastChannel("handrail");
  const own = ownKv(kv);
  const never = () => new Promise<never>(() => undefined);
  const session = await OpenSession.load(
    {
      kv: own.kv,
      api,
      now: Date.now,
      newId,
      serves: () => null,
      mcp: () => mcp,
      explore: () => helpersOf(settings, config),
      client: () => client,
      onRecord: () => undefined,
      onSaved: (saved) => tabs.postMessage(saved),
      onEvents: (heard, events) => tabs.postMessage({ heard, events }),
      onHandOver: () => undefined,
      page: {
        ...{ sleep, isOnline, wake: never, doubt: never },
        inNextFrame: (flush) => void setTimeout(flush, frameMs),
      },
    },
    answer.sessionId,
  );
  if (session === undefined) return { is: "late" };
  void session.becomeWriter();
  const given = await giveAnswer(session, answer, over);
  session.becomeReader();
  // A page that took the session back in the meantime has newer data to store.
  if (!over.aborted) await session.saved();
  own.close();
  tabs.close();
  return unauthorized ? { is: "refused", why: "This device is not paired any more." } : given;
}

/**
 * The storage without drafts, which belong to the pages: a draft saved here could replace one that a page saved in its
 * last moment. After `close` it stores nothing more, since it would overwrite what a page stores then.
 */
function ownKv(kv: Kv): { kv: Kv; close(): void } {
  let closed = false;
  const isKept = (key: string) => !closed && !key.startsWith("draft/");
  return {
    kv: {
      ...kv,
      write: (puts, deletes = []) =>
        kv.write(
          puts.filter(([key]) => isKept(key)),
          deletes.filter(isKept),
        ),
      update: async (key, change) => (isKept(key) ? kv.update(key, change) : change(await kv.get(key))),
    },
    close: () => {
      closed = true;
    },
  };
}
