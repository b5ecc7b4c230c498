// Notices about the app itself: settings that could not be stored, a new version, a pairing link on a paired device.

import { takeUpdate, updateReady } from "../app/install.ts";
import { unkeptChoice } from "../app/keep-choice.ts";
import { keepToken, offeredToken, pairingProblem } from "../app/pairing.ts";

export function UnkeptNotice() {
  return (
    unkeptChoice.value !== null && (
      <p class="notice bad" role="alert">
        <span>{unkeptChoice.value}</span>
      </p>
    )
  );
}

export function UpdateNotice() {
  if (!updateReady.value) return null;
  return (
    <p class="notice" role="status">
      <span>A new version is ready. What you typed stays.</span>
      <button type="button" class="text-button" onClick={() => void takeUpdate()}>
        Reload
      </button>
    </p>
  );
}

export function PairingNotice() {
  const offered = offeredToken.value;
  if (offered !== null) {
    return (
      <p class="notice" role="alert">
        <span>
          A link wants to pair this device again. The pairing that you have works: keep it, unless you opened
          this link yourself.
        </span>
        <span class="notice-actions">
          <button type="button" class="text-button" onClick={() => (offeredToken.value = null)}>
            Keep it
          </button>
          <button type="button" class="text-button" onClick={() => void keepToken(offered)}>
            Pair again
          </button>
        </span>
      </p>
    );
  }
  if (pairingProblem.value === null) return null;
  return (
    <p class="notice" role="alert">
      <span>{pairingProblem.value}</span>
      <button type="button" class="text-button" onClick={() => (pairingProblem.value = null)}>
        Dismiss
      </button>
    </p>
  );
}
