// The app's state beside single sessions: pairing, configuration, the list, which sessions are open.
import { batch, computed, signal } from "@preact/signals";
import type { Config } from "../../shared/api.ts";
import { type HandrailError, toHandrailError } from "../../shared/errors.ts";
import type { ModelRef, TurnEvent } from "../../shared/event.ts";
import { emptySession } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { createApi } from "../api/client.ts";
import { openKv } from "../storage/kv.ts";
import { readOutbox } from "../storage/outbox.ts";
import { listRecords, type SessionRecord } from "../storage/session-record.ts";
import { deleteSession, sessionPuts } from "../storage/session-store.ts";
import { readSettings, type Settings, type Theme, writeSettings } from "../storage/settings.ts";
import { wakeNow } from "../turn/page-signals.ts";
import type { Held } from "./hold-session.ts";
import { newId } from "./ids.ts";
import { takePairingToken } from "./route.ts";
import { applyTheme } from "./theme.ts";

const otherTabs = new BroadcastChannel("handrail");

export const kv = openKv();
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
  onUnauthorized: () => {
    unauthorized.value = true;
  },
});

const open = new Map<string, Promise<Held | undefined>>();

/** Reads what is stored, takes a token out of the address, takes up turns that were under way. */
export async function startApp(): Promise<void> {
  const fromAddress = takePairingToken();
  const stored = await readSettings(kv);
  const list = await listRecords(kv);
  batch(() => {
    settings.value = stored;
    records.value = list;
    ready.value = true;
  });
  applyTheme(stored.theme);
  if (fromAddress !== null) await pair(fromAddress);
  else if (stored.token !== null) void refreshConfig();
  // The link may be opened where the app is open already: only the fragment changes then.
  window.addEventListener("hashchange", () => {
    const token = takePairingToken();
    if (token !== null) void pair(token);
  });
  otherTabs.addEventListener("message", onOtherTab);
  // Behind the first paint, before anybody taps: a session that is opened without a connection needs it.
  void import("./hold-session.ts").catch(() => undefined);
  window.addEventListener("online", () => {
    if (config.value === null && paired.value) void refreshConfig();
  });
  for (const record of list) {
    if ((await readOutbox(kv, record.id)).turn !== null) void openSession(record.id).catch(() => undefined);
  }
}

interface Heard {
  heard: string;
  events: readonly TurnEvent[];
}

function onOtherTab({ data }: MessageEvent<string | Heard>): void {
  if (typeof data !== "string") {
    void open.get(data.heard)?.then((held) => held?.session.hear(data.events));
    return;
  }
  void listRecords(kv).then((list) => {
    records.value = list;
  });
  void open.get(data)?.then((held) => held?.session.reload());
}

export async function pair(token: string): Promise<void> {
  batch(() => {
    settings.value = { ...settings.value, token: token.trim() };
    unauthorized.value = false;
  });
  await writeSettings(kv, settings.value).catch(() => undefined);
  void navigator.storage?.persist?.();
  await refreshConfig();
  wrongToken.value = unauthorized.value;
  wakeNow();
}

/** Forgets the token and everything that is kept on this device. */
export async function signOut(): Promise<void> {
  for (const held of open.values()) (await held)?.lock.release();
  await kv.clear("");
  location.replace(location.pathname);
}

export function setTheme(theme: Theme): void {
  settings.value = { ...settings.value, theme };
  applyTheme(theme);
  void writeSettings(kv, settings.value);
}

export async function refreshConfig(): Promise<void> {
  try {
    config.value = await api.config();
  } catch {
    // Offline, or not paired: the app opens all the same, with what it knew.
  }
}

export function openSession(id: string): Promise<Held | undefined> {
  const known = open.get(id);
  if (known !== undefined) return known;
  const held = hold(id);
  open.set(id, held);
  // Its code could not be loaded: it is tried again when it is opened again.
  held.catch(() => open.delete(id));
  return held;
}

async function hold(id: string): Promise<Held | undefined> {
  const { holdSession } = await import("./hold-session.ts");
  const held = await holdSession(id, {
    kv,
    api,
    serves,
    onRecord: listRecord,
    onSaved: (saved) => otherTabs.postMessage(saved),
    onEvents: (heard, events) => otherTabs.postMessage({ heard, events }),
  });
  if (held === undefined) open.delete(id);
  return held;
}

function serves(): ModelRef | null {
  const provider = config.value?.providers[0];
  const model = provider?.models[0];
  return provider && model ? { provider: provider.id, id: model.id } : null;
}

function listRecord(record: SessionRecord): void {
  const others = records.value.filter((other) => other.id !== record.id);
  records.value = [record, ...others].sort((a, b) => b.updatedAt - a.updatedAt);
}

/** A new session with a sandbox of its own, stored and ready to open; throws HandrailError. */
export async function createSession(source?: { git: string }): Promise<string> {
  try {
    if (config.value === null) await refreshConfig();
    const sandbox = await api.createSandbox(source);
    const now = Date.now();
    const record: SessionRecord = {
      id: newId(),
      title: "New session",
      sandboxId: sandbox.sandboxId,
      workspace: sandbox.workspace,
      createdAt: now,
      updatedAt: now,
      summary: sessionSummary(emptySession()),
      demo: servedByDemo.value,
    };
    await kv.write(sessionPuts(record, emptySession(), 0));
    listRecord(record);
    otherTabs.postMessage(record.id);
    return record.id;
  } catch (error) {
    throw inWords(error);
  }
}

/** Removes a session and everything kept of it. */
export async function removeSession(id: string): Promise<void> {
  (await open.get(id))?.lock.release();
  open.delete(id);
  records.value = records.value.filter((record) => record.id !== id);
  await deleteSession(kv, id);
  otherTabs.postMessage(id);
}

/** `error` as one that can be shown; a network failure says that there is no connection. */
export function inWords(error: unknown): HandrailError | Error {
  if (error instanceof TypeError) return new Error("There is no connection to your Handrail server.");
  return toHandrailError(error);
}
