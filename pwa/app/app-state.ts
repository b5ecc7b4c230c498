// The state that the whole app reads, apart from single sessions: settings, configuration, and the list. Nothing is
// started here.
import { computed, signal } from "@preact/signals";
import type { Config } from "../../shared/api.ts";
import { type HandrailError, toHandrailError } from "../../shared/errors.ts";
import { createApi } from "../api/client.ts";
import { loadCode } from "../browser/load-code.ts";
import { applyTheme } from "../browser/screen.ts";
import { noteServerTime } from "../browser/server-clock.ts";
import { openKv } from "../storage/kv.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { type Settings, type Theme, writeSettings } from "../storage/settings.ts";
import { keepChoice } from "./keep-choice.ts";

export const otherTabs = new BroadcastChannel("handrail");

/** A tab sends this message to the other tabs when a person signs out in it. */
export const signedOut = "signed-out";

/** When the browser deleted all stored data, before this page was opened or while it was open; null if it never did. */
export const lostStorage = signal<"before" | "open" | null>(null);
/** Dispatches "lost" when the browser deletes the database while the page is open. */
export const storageLost = new EventTarget();
export const kv = openKv("handrail", () => void storageLost.dispatchEvent(new Event("lost")));
export const settings = signal<Settings>({ token: null, theme: "system" });
export const ready = signal(false);
export const unauthorized = signal(false);
/** True if the newest token was refused when it was first tried, so it was wrong from the beginning. */
export const wrongToken = signal(false);
export const config = signal<Config | null>(null);
export const records = signal<readonly SessionRecord[]>([]);
/** False if nothing can be sent, because there is no token or the server rejects it. */
export const paired = computed(() => settings.value.token !== null && !unauthorized.value);
/** After this many messages the person has had time to read the captions below the composer. */
const captionedMessages = 5;
export const knowsCaptions = computed(() => (settings.value.said ?? 0) >= captionedMessages);

/** Counts a message that the person sent, until the captions are no longer needed. */
export function noteMessage(): void {
  if (!knowsCaptions.value) void changeSettings({ said: (settings.value.said ?? 0) + 1 });
}

export const servedByDemo = computed(() => config.value?.providers[0]?.demo ?? false);

export const api = createApi({
  fetch: async (input, init) => {
    const sentAt = Date.now();
    const answer = await fetch(input, init);
    noteServerTime(answer.headers.get("date"), sentAt);
    return answer;
  },
  token: () => settings.value.token,
  modelKey: (provider) => settings.value.keys?.[provider ?? config.value?.providers[0]?.id ?? ""],
  mcpHeaders: async (servers) => {
    const { mcpTokens, tokenHeader } = await loadCode(() => import("../storage/mcp-tokens.ts"));
    return tokenHeader(mcpTokens(kv), servers);
  },
  onUnauthorized: () => {
    unauthorized.value = true;
  },
});

export function setTheme(theme: Theme): void {
  applyTheme(theme);
  void changeSettings({ theme });
}

/** Sets a choice of the person for the whole app, in memory and in storage. */
export async function changeSettings(change: Partial<Settings>): Promise<void> {
  settings.value = { ...settings.value, ...change };
  await keepSettings();
}

export function keepSettings(): Promise<void> {
  return keepChoice("settings", () => writeSettings(kv, settings.value));
}

export async function refreshConfig(): Promise<void> {
  try {
    config.value = await api.config();
  } catch {
    // The app opens even if it is offline or not paired, and shows what it last knew.
  }
}

/** Puts `error` into words that can be shown; a network failure becomes "no connection". */
export function inWords(error: unknown): HandrailError | Error {
  if (error instanceof TypeError) return new Error("There is no connection to your Handrail server.");
  return toHandrailError(error);
}
