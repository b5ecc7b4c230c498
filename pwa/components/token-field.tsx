// Asks once for a forge's token, lists the rights that it needs, and stores it encrypted on this device.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { HandrailError } from "../../shared/errors.ts";
import { inWords } from "../app/app-state.ts";
import { deviceCode, deviceToken, keepToken, tokensLast, userOf } from "../app/forge.ts";
import { tokenWords } from "../words/forge-words.ts";
import { Problem } from "./problem.tsx";
import type { KnownForge } from "./use-forge.ts";

interface TokenFieldProps {
  forge: KnownForge;
  /** Called once the token is stored. */
  onKept?(): void;
}

export function TokenField({ forge, onKept }: TokenFieldProps) {
  const { host, kind } = forge;
  const typed = useSignal("");
  const busy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const { rights, kind: what, page } = tokenWords[kind];
  const keep = async (token: string) => {
    busy.value = true;
    problem.value = null;
    try {
      await userOf(host, token);
      await keepToken(host, token);
      typed.value = "";
      onKept?.();
    } catch (error) {
      problem.value = inWords(error).message;
    }
    busy.value = false;
  };
  return (
    <div class="forge-token">
      {forge.device && <DeviceSignIn host={host} onToken={(token) => void keep(token)} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.value.trim() !== "") void keep(typed.value.trim());
        }}
      >
        <label class="field">
          <span class="muted">Token for {host}</span>
          <input
            class="answer-text"
            type="password"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button soft" disabled={busy.value || typed.value.trim() === ""}>
          {busy.value ? "Trying it…" : "Use this token"}
        </button>
      </form>
      <p class="muted">
        {what}, with exactly these rights: <b>{rights.join(" · ")}</b>.{" "}
        <a href={`https://${host}${page}`} target="_blank" rel="noopener noreferrer">
          Make one there
        </a>
      </p>
      <p class="muted">
        {tokensLast
          ? "It is kept on this device, encrypted, and sent along with what you ask of this forge. You can remove it in Settings."
          : "This page is not encrypted (http), so it is kept only until the page is closed."}
      </p>
      <Problem words={problem.value} />
    </div>
  );
}

/**
 * Signs in with a device code (RFC 8628): shows the code, which the person enters at the forge, and polls until they
 * have.
 */
function DeviceSignIn({ host, onToken }: { host: string; onToken(token: string): void }) {
  const code = useSignal<{ deviceCode: string; userCode: string; url: string; interval: number } | null>(
    null,
  );
  const problem = useSignal<string | null>(null);
  const failed = (error: unknown) => {
    code.value = null;
    problem.value = inWords(error).message;
  };
  const waits = code.value;
  useEffect(() => {
    if (waits === null) return;
    let timer: ReturnType<typeof setTimeout>;
    let over = false;
    const later = (seconds: number) => {
      timer = setTimeout(() => {
        deviceToken(host, waits.deviceCode).then(
          ({ token, interval }) => {
            if (over) return;
            if (token === null) return later(Math.max(interval, waits.interval));
            code.value = null;
            onToken(token);
          },
          (error: unknown) => {
            if (over) return;
            // An app in the background loses its request, but the person may still have confirmed the code, so polling
            // continues.
            if (error instanceof HandrailError && !error.retryable) failed(error);
            else later(waits.interval);
          },
        );
      }, seconds * 1_000);
    };
    later(waits.interval);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [waits]);
  const begin = () => {
    problem.value = null;
    deviceCode(host).then((made) => (code.value = made), failed);
  };
  return (
    <div class="forge-device">
      {waits === null ? (
        <button type="button" class="button go" onClick={begin}>
          Sign in at {host}
        </button>
      ) : (
        <p role="status">
          Type <b class="device-code">{waits.userCode}</b> at{" "}
          <a href={waits.url} target="_blank" rel="noopener noreferrer">
            {waits.url.replace(/^https?:\/\//, "")}
          </a>
          , then come back here.
        </p>
      )}
      <Problem words={problem.value} />
    </div>
  );
}
