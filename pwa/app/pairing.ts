// Takes pairing tokens that the person typed, and those of links, which anybody can make. A token is stored only after
// the server has accepted it.
import { batch, signal } from "@preact/signals";
import { createApi } from "../api/client.ts";
import { loadCode } from "../browser/load-code.ts";
import { wakeNow } from "../browser/page-signals.ts";
import {
  keepSettings,
  kv,
  lostStorage,
  records,
  refreshConfig,
  settings,
  unauthorized,
  wrongToken,
} from "./app-state.ts";
import { type Judgement, judgeToken } from "./judge-token.ts";

/** The token of a link that would replace a working one. Nothing is done with it until the person decides. */
export const offeredToken = signal<string | null>(null);
/** Why a new token was not taken although this device keeps another one; null if there is nothing to say. */
export const pairingProblem = signal<string | null>(null);

/**
 * Handles a token from the address. Anybody can make such a link, so its token never replaces a working one without a
 * question, and is never stored before the server has accepted it.
 */
export async function pairByLink(token: string): Promise<void> {
  const judgement = await judged(token);
  if (judgement === "ask") offeredToken.value = token;
  else await settle(token, judgement);
}

/** Handles a token that the person typed. Resolves to whether it was taken. */
export async function pair(given: string): Promise<boolean> {
  const token = given.trim();
  const judgement = await judged(token);
  return settle(token, judgement === "ask" ? "take" : judgement);
}

function judged(token: string): Promise<Judgement> {
  offeredToken.value = null;
  pairingProblem.value = null;
  return judgeToken(token, settings.value.token, (each) =>
    createApi({
      fetch: (input, init) => fetch(input, init),
      token: () => each,
      onUnauthorized() {},
    }).config(),
  );
}

async function settle(token: string, judgement: Judgement): Promise<boolean> {
  if (judgement === "take") {
    await keepToken(token);
    return true;
  }
  wrongToken.value = judgement === "refused";
  if (settings.value.token === null) return false;
  pairingProblem.value =
    judgement === "refused"
      ? "The server rejects the new token. Nothing has changed here."
      : "The new token could not be tried: there is no connection. Nothing has changed here.";
  await refreshConfig();
  return false;
}

/** Stores a token in place of the previous one. */
export async function keepToken(token: string): Promise<void> {
  if (lostStorage.value === "before") {
    const { rememberedSessions, storeAgain } = await loadCode(() => import("./lost-storage.ts"));
    records.value = await storeAgain(kv, rememberedSessions(), new Set()).catch(() => records.value);
  }
  batch(() => {
    settings.value = { ...settings.value, token };
    unauthorized.value = false;
    offeredToken.value = null;
    pairingProblem.value = null;
  });
  await keepSettings();
  void navigator.storage?.persist?.();
  await refreshConfig();
  wrongToken.value = unauthorized.value;
  wakeNow();
}
