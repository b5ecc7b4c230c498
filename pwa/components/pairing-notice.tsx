// A pairing link that was opened on a device that is paired: what came of it, or the question whether it is wanted.
import { keepToken, offeredToken, pairingProblem } from "../app/app.ts";

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
