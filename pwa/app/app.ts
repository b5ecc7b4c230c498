// Starts the app: reads storage, takes a token out of the address, listens to other tabs.
import { batch } from "@preact/signals";
import { isObject } from "../../shared/is-record.ts";
import { newId } from "../browser/ids.ts";
import { loadCode } from "../browser/load-code.ts";
import { takePairingToken } from "../browser/route.ts";
import { applyTheme } from "../browser/screen.ts";
import { checkFormat } from "../storage/format.ts";
import { listRecords } from "../storage/session-record.ts";
import { readSettings, writeSettings } from "../storage/settings.ts";
import {
  config,
  keepSettings,
  kv,
  lostStorage,
  otherTabs,
  paired,
  ready,
  records,
  refreshConfig,
  settings,
  signedOut,
  storageLost,
} from "./app-state.ts";
import {
  type Heard,
  heldSession,
  letGoOfAll,
  openIds,
  openSession,
  openSessions,
  type Typed,
} from "./open-sessions.ts";
import { pairByLink } from "./pairing.ts";

/** Reads storage, takes a token out of the address, continues unfinished turns. */
export async function startApp(): Promise<void> {
  storageLost.addEventListener("lost", () => void storeAllAgain());
  const fromAddress = takePairingToken();
  // The person may open the link while the app is already open; then only the fragment of the address changes.
  window.addEventListener("hashchange", () => {
    const token = takePairingToken();
    if (token !== null) void pairByLink(token);
  });
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
  const [stored, list] = await Promise.all([readSettings(kv), listRecords(kv), checkFormat(kv)]);
  batch(() => {
    settings.value = stored;
    records.value = list;
    ready.value = true;
  });
  applyTheme(stored.theme);
  if (stored.token === null && list.length === 0 && remembersSessions()) lostStorage.value = "before";
  if (stored.client === undefined) {
    settings.value = { ...stored, client: newId() };
    // The id is stored together with the token: a device that is not paired keeps nothing. If storage does not take it,
    // another id is made next time.
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
    const sends = isObject(outbox) && "turn" in outbox && outbox.turn !== null;
    if (sends) void openSession(id).catch(() => undefined);
  }
}

function onOtherTab({ data }: MessageEvent<string | Heard | Typed>): void {
  if (typeof data !== "string" && "typed" in data) {
    void heldSession(data.typed)?.then((held) => held?.session.takeDraft(data.draft));
    return;
  }
  if (typeof data !== "string") {
    void heldSession(data.heard)?.then((held) => held?.session.hear(data.events));
    return;
  }
  if (data === signedOut) {
    void letGoOfAll().then(() => location.replace(location.pathname));
    return;
  }
  void listRecords(kv).then((list) => {
    records.value = list;
  });
  void heldSession(data)?.then((held) => held?.session.reload());
}

/** Returns whether this device had sessions, as noted outside of IndexedDB. */
function remembersSessions(): boolean {
  try {
    return localStorage.getItem("sessions") !== null;
  } catch {
    return false;
  }
}

/** Stores again what this page still has. The rest is lost, and the person is told so. */
async function storeAllAgain(): Promise<void> {
  // There is nothing to restore if another tab deleted the data by signing out, or if nothing was read yet.
  if (!ready.value || settings.value.token === null) return;
  lostStorage.value = "open";
  await keepSettings();
  const { storeAgain } = await loadCode(() => import("./lost-storage.ts"));
  records.value = await storeAgain(kv, records.value, openIds()).catch(() => records.value);
  for await (const { session } of openSessions()) await session.storeAgain();
}
