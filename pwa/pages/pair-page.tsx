// Pairs this device with a token that is typed or pasted, if it did not come in the address.
import { signal, useSignal } from "@preact/signals";
import { lostStorage, records, settings, unauthorized, wrongToken } from "../app/app-state.ts";
import { pair } from "../app/pairing.ts";
import { Mark } from "../components/icon.tsx";
import { lazy } from "../components/lazy.tsx";
import { pairWords } from "../words/pair-words.ts";

const ScanCode = lazy(() => import("../components/scan-code.tsx").then((module) => module.ScanCode));

/** Extracts the token from pasted text: the token itself, or the whole pairing address. */
export function tokenFrom(text: string): string {
  return /#pair=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}

/** The typed text is kept while another page is shown and after the server rejected it. */
const text = signal("");

export function PairPage() {
  const scans = useSignal(false);
  const busy = useSignal(false);
  const tryIt = async (given: string) => {
    busy.value = true;
    await pair(tokenFrom(given)).finally(() => {
      busy.value = false;
    });
  };
  const refused = wrongToken.value || (unauthorized.value && settings.value.token !== null);
  return (
    <main class="page pair">
      <div class="page-scroll">
        <Mark size={56} />
        <h1>Pair this device</h1>
        <p role="status">
          {pairWords({
            refused,
            justTried: wrongToken.value,
            keepsSessions: records.value.length > 0,
            forgot: lostStorage.value === "before",
          })}
        </p>
        {scans.value && (
          <ScanCode
            onClose={() => (scans.value = false)}
            onCode={(code) => {
              scans.value = false;
              text.value = tokenFrom(code);
              void tryIt(text.value);
            }}
          />
        )}
        <form
          id="pair"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.value.trim() !== "") void tryIt(text.value);
          }}
        >
          <label class="field">
            <span class="muted">Token or link</span>
            <input
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
        </form>
      </div>
      <footer class="bar">
        <div class="actions">
          <button type="button" class="button soft" onClick={() => (scans.value = true)}>
            Scan code
          </button>
          <button
            type="submit"
            form="pair"
            class="button go grow"
            disabled={busy.value || text.value.trim() === ""}
          >
            {busy.value ? "Pairing…" : "Pair"}
          </button>
        </div>
      </footer>
    </main>
  );
}
