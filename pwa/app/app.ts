// The app's state beside single sessions: pairing, configuration, the list, which sessions are open.
import { batch, computed, signal } from "@preact/signals";
import type { Config } from "../../shared/api.ts";
import { type HandrailError, toHandrailError } from "../../shared/errors.ts";
import type { ModelRef, TurnEvent } from "../../shared/event.ts";
import { createApi } from "../api/client.ts";
import { newId } from "../browser/ids.ts";
import { wakeNow } from "../browser/page-signals.ts";
import { takePairingToken } from "../browser/route.ts";
import { applyTheme } from "../browser/screen.ts";
import type { HeldSession } from "../session/hold-session.ts";
import type { Draft } from "../storage/draft.ts";
import { openKv } from "../storage/kv.ts";
import { listRecords, type SessionRecord } from "../storage/session-record.ts";
import { readSettings, type Settings, type Theme, writeSettings } from "../storage/settings.ts";
import { type Judgement, judgeToken } from "./judge-token.ts";
import { keepChoice, keepUnkeptChoices } from "./keep-choice.ts";

export const otherTabs = new BroadcastChannel("handrail");

/** What the browser deleted: all that was kept, before this page was opened or while it was open; null = nothing. */
export const lostStorage = signal<"before" | "open" | null>(null);
export const kv = openKv("handrail", () => void storeAllAgain());
export const settings = signal<Settings>({ token: null, theme: "system" });
export const ready = signal(false);
export const unauthorized = signal(false);
/** The token given last was refused at once: it was wrong from the beginning. */
export const wrongToken = signal(false);
export const config = signal<Config | null>(null);
export const records = signal<readonly SessionRecord[]>([]);
/** False where nothing can be sent: no token, or one that the server does not take. */
export const paired = computed(() => settings.value.token !== null && !unauthorized.value);
export const servedByDemo = computed(() => config.value?.providers[0]?.demo ?? false);

export const api = createApi({
  fetch: (input, init) => fetch(input, init),
  token: () => settings.value.token,
  modelKey: (provider) => settings.value.keys?.[provider ?? config.value?.providers[0]?.id ?? ""],
  onUnauthorized: () => {
    unauthorized.value = true;
  },
});

const open = new Map<string, Promise<HeldSession | undefined>>();

/** Reads what is stored, takes a token out of the address, takes up turns that were under way. */
export async function startApp(): Promise<void> {
  const fromAddress = takePairingToken();
  // The link may be opened where the app is open already: only the fragment changes then.
  window.addEventListener("hashchange", () => {
    const token = takePairingToken();
    if (token !== null) void pairByLink(token);
  });
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
  const [stored, list] = await Promise.all([readSettings(kv), listRecords(kv)]);
  batch(() => {
    settings.value = stored;
    records.value = list;
    ready.value = true;
  });
  applyTheme(stored.theme);
  if (stored.token === null && list.length === 0 && remembersSessions()) lostStorage.value = "before";
  if (stored.client === undefined) {
    settings.value = { ...stored, client: newId() };
    // Stored with the token at the latest: a device that is not paired keeps nothing. Where storage does not take it, another one is made next time.
    if (stored.token !== null) void writeSettings(kv, settings.value).catch(() => undefined);
  }
  if (fromAddress !== null) await pairByLink(fromAddress);
  else if (stored.token !== null) void refreshConfig();
  otherTabs.addEventListener("message", onOtherTab);
  window.addEventListener("online", () => {
    if (config.value === null && paired.value) void refreshConfig();
  });
  const outboxes = await kv.getMany(list.map(({ id }) => `outbox/${id}`));
  for (const [index, { id }] of list.entries()) {
    const outbox = outboxes[index];
    const sends = typeof outbox === "object" && outbox !== null && "turn" in outbox && outbox.turn !== null;
    if (sends) void openSession(id).catch(() => undefined);
  }
}

interface Heard {
  heard: string;
  events: readonly TurnEvent[];
}

/** What was typed in a tab that does not write any more. */
interface Typed {
  typed: string;
  draft: Draft;
}

/** What a tab says to the others when a person signs out in it. */
export const signedOut = "signed-out";

function onOtherTab({ data }: MessageEvent<string | Heard | Typed>): void {
  if (typeof data !== "string" && "typed" in data) {
    void open.get(data.typed)?.then((held) => held?.session.takeDraft(data.draft));
    return;
  }
  if (typeof data !== "string") {
    void open.get(data.heard)?.then((held) => held?.session.hear(data.events));
    return;
  }
  if (data === signedOut) {
    void letGoOfAll().then(() => location.replace(location.pathname));
    return;
  }
  void listRecords(kv).then((list) => {
    records.value = list;
  });
  void open.get(data)?.then((held) => held?.session.reload());
}

/** Of a link that would replace a token that works: nothing is done until the person says so. */
export const offeredToken = signal<string | null>(null);
/** Why a token that was given was not taken, where this device keeps another; null = nothing to say. */
export const pairingProblem = signal<string | null>(null);

/**
 * A token out of the address. Anybody may have made the link, so it replaces nothing that works, and nothing before
 * the server has taken it.
 */
export async function pairByLink(token: string): Promise<void> {
  const judgement = await judged(token);
  if (judgement === "ask") offeredToken.value = token;
  else await settle(token, judgement);
}

/** A token that the person gave here. Resolves to whether it was taken. */
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
      ? "The server does not take the token that was given. Nothing has changed here."
      : "The token that was given could not be tried: there is no connection. Nothing has changed here.";
  await refreshConfig();
  return false;
}

/** Whether there were sessions here, as noted beside IndexedDB. */
function remembersSessions(): boolean {
  try {
    return localStorage.getItem("sessions") !== null;
  } catch {
    return false;
  }
}

/** What this page still has is stored again; the rest is gone, and said to be. */
async function storeAllAgain(): Promise<void> {
  // Another tab deleted it by signing out, or nothing was read yet.
  if (!ready.value || settings.value.token === null) return;
  lostStorage.value = "open";
  await keepSettings();
  const { storeAgain } = await import("./lost-storage.ts");
  const list = await storeAgain(kv, records.value, new Set(open.keys())).catch(() => records.value);
  records.value = list;
  for (const held of open.values()) await (await held.catch(() => undefined))?.session.storeAgain();
}

/** Stores a token in the place of the one before. */
export async function keepToken(token: string): Promise<void> {
  if (lostStorage.value === "before") {
    const { rememberedSessions, storeAgain } = await import("./lost-storage.ts");
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

export function setTheme(theme: Theme): void {
  applyTheme(theme);
  void changeSettings({ theme });
}

/** Sets what a person chose for the whole app, at once here and in storage. */
export async function changeSettings(change: Partial<Settings>): Promise<void> {
  settings.value = { ...settings.value, ...change };
  await keepSettings();
}

function keepSettings(): Promise<void> {
  return keepChoice("settings", () => writeSettings(kv, settings.value));
}

export async function refreshConfig(): Promise<void> {
  try {
    config.value = await api.config();
  } catch {
    // Offline, or not paired: the app opens all the same, with what it knew.
  }
}

export function openSession(id: string): Promise<HeldSession | undefined> {
  const known = open.get(id);
  if (known !== undefined) return known;
  const held = hold(id);
  open.set(id, held);
  // Its code could not be loaded: it is tried again when it is opened again.
  held.catch(() => open.delete(id));
  return held;
}

async function hold(id: string): Promise<HeldSession | undefined> {
  const { holdSession } = await import("../session/hold-session.ts");
  const held = await holdSession(id, {
    kv,
    api,
    serves,
    client: () => settings.value.client,
    onRecord: listRecord,
    onSaved: (saved) => otherTabs.postMessage(saved),
    onEvents: (heard, events) => otherTabs.postMessage({ heard, events }),
    onHandOver: (typed, draft) => otherTabs.postMessage({ typed, draft }),
  });
  if (held === undefined) open.delete(id);
  return held;
}

function serves(): ModelRef | null {
  const provider = config.value?.providers[0];
  const model = provider?.models[0];
  return provider && model ? { provider: provider.id, id: model.id } : null;
}

/** Shows `record` in the list as it is now; one that was deleted is not shown. */
export function listRecord(record: SessionRecord): void {
  const others = records.value.filter((other) => other.id !== record.id);
  const shown = record.deletedAt === undefined ? [record, ...others] : others;
  records.value = shown.sort((a, b) => b.updatedAt - a.updatedAt);
}

/** The session if this tab holds it already. */
export function heldSession(id: string): Promise<HeldSession | undefined> | undefined {
  return open.get(id);
}

/** Lets go of a session that is to be gone for good: nothing of it is followed or stored from here on. */
export async function letGo(id: string): Promise<void> {
  const held = await open.get(id)?.catch(() => undefined);
  open.delete(id);
  held?.session.becomeReader();
  held?.lock.release();
}

export async function letGoOfAll(): Promise<void> {
  await Promise.all([...open.keys()].map(letGo));
}

/** What was typed anywhere is stored when this resolves: the page may be replaced. */
export async function saveDrafts(): Promise<void> {
  for (const held of open.values()) await (await held.catch(() => undefined))?.session.saveDraft();
}

/** Room was made: what storage did not take before is stored. */
export async function saveWhatWaits(): Promise<void> {
  for (const held of open.values()) await (await held.catch(() => undefined))?.session.saveAgain();
  await keepUnkeptChoices();
}

/** `error` as one that can be shown; a network failure says that there is no connection. */
export function inWords(error: unknown): HandrailError | Error {
  if (error instanceof TypeError) return new Error("There is no connection to your Handrail server.");
  return toHandrailError(error);
}
