// Notices above the list of sessions: an undo of the last action, a new version, an offer to install the app.
import { changeSettings, lostStorage, records, settings } from "../app/app-state.ts";
import { canInstall, install, iosCoach } from "../app/install.ts";
import { undo, undoable } from "../app/session-actions.ts";
import { lostInWords } from "../words/pair-words.ts";
import { PairingNotice, UnkeptNotice, UpdateNotice } from "./app-notices.tsx";
import { ServerNotice } from "./server-notice.tsx";
import { oneLineOf } from "./shown-text.ts";

export function HomeNotices() {
  const last = undoable.value;
  const offers = records.value.length > 0 && settings.value.noInstall !== true;
  return (
    <>
      {last !== null && (
        <p class="notice" role="status">
          <span>
            “{oneLineOf(last.record.title)}” {last.did === "deleted" ? "is deleted." : "is archived."}
          </span>
          <button type="button" class="text-button" onClick={() => void undo()}>
            Undo
          </button>
        </p>
      )}
      <ServerNotice />
      {lostStorage.value !== null && <LostNotice />}
      <PairingNotice />
      <UnkeptNotice />
      <UpdateNotice />
      {offers && (canInstall.value || iosCoach) && <InstallNotice />}
    </>
  );
}

function LostNotice() {
  return (
    <p class="notice bad" role="alert">
      <span>{lostInWords(lostStorage.value)}</span>
      <button type="button" class="text-button" onClick={() => (lostStorage.value = null)}>
        Dismiss
      </button>
    </p>
  );
}

function InstallNotice() {
  return (
    <p class="notice">
      <span>
        {canInstall.value
          ? "On the home screen Handrail opens offline, and the browser keeps what it stores."
          : "Apps on the home screen keep their data: tap Share, then Add to Home Screen. Pair once more in there; it does not share this browser's storage."}
      </span>
      <span class="notice-actions">
        {canInstall.value && (
          <button type="button" class="text-button" onClick={() => void install()}>
            Install
          </button>
        )}
        <button type="button" class="text-button" onClick={() => void changeSettings({ noInstall: true })}>
          Not now
        </button>
      </span>
    </p>
  );
}
