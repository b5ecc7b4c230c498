// Settings: the app on the home screen, and what this browser cannot do.
import {
  canInstall,
  install,
  iosCoach,
  isInstalled,
  opensOffline,
  takeUpdate,
  updateReady,
} from "../app/install.ts";
import { SettingsSection } from "./settings-section.tsx";

export function InstallSection() {
  return (
    <SettingsSection title="App">
      <p>{installWords()}</p>
      {canInstall.value && (
        <button type="button" class="button soft" onClick={() => void install()}>
          Install
        </button>
      )}
      {updateReady.value && (
        <button type="button" class="button soft" onClick={() => void takeUpdate()}>
          Load the new version
        </button>
      )}
    </SettingsSection>
  );
}

const notOffline = "It needs a connection to open: this browser has not stored it, or not yet.";

function installWords(): string {
  if (!isSecureContext)
    return "This page comes over plain http. It works, but browsers then open it only with a connection, install nothing, and give it no camera. An https address (a tunnel, say) lifts that.";
  if (isInstalled)
    return opensOffline.value
      ? "Installed. It opens offline and reads everything that is kept here."
      : `Installed. ${notOffline}`;
  if (iosCoach)
    return "To put it on the home screen: Share, then Add to Home Screen. Open it from there and pair once more; it does not share this browser's storage.";
  const way = canInstall.value
    ? "It can be put on the home screen."
    : "Your browser's menu may have an entry to install it.";
  return `${opensOffline.value ? "It opens offline." : notOffline} ${way}`;
}
