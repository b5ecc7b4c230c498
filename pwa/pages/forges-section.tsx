// Settings: the forges for which this device has a token. Each token can be removed, and another one added.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { keptHosts, takeAway, tokensChanged, tokensLast } from "../app/forge.ts";
import { TokenField } from "../components/token-field.tsx";
import { useForgeAnswer } from "../components/use-forge.ts";
import { SettingsSection } from "./settings-section.tsx";
import "../styles/forge.css";

export function ForgesSection() {
  const answer = useForgeAnswer();
  const known = answer ?? [];
  const kept = useSignal<readonly string[]>([]);
  const adding = useSignal<string | null>(null);
  const change = tokensChanged.value;
  useEffect(() => {
    keptHosts().then(
      (hosts) => (kept.value = hosts),
      () => undefined,
    );
  }, [change]);
  const others = known.filter(({ host }) => !kept.value.includes(host));
  const chosen = others.find(({ host }) => host === adding.value);
  return (
    <SettingsSection
      title="GitHub, GitLab, Gitea"
      why={`Where pull requests are opened and repositories are found. ${
        tokensLast
          ? "A token is kept on this device, encrypted with a key that cannot be read out; it goes along with what you ask of that forge, and the server keeps none. Removing it here does not revoke it there."
          : "This page is not encrypted (http), so tokens are kept only until it is closed."
      }`}
    >
      {kept.value.length === 0 && <p class="muted">No token is kept here.</p>}
      {kept.value.map((host) => (
        <div key={host} class="forge-kept">
          <b>{host}</b>
          <button type="button" class="button soft bad" onClick={() => void takeAway(host)}>
            Remove its token
          </button>
        </div>
      ))}
      {answer === undefined && (
        <p class="muted settings-asks forges-ask">Asking the server which it knows…</p>
      )}
      {chosen === undefined && others.length > 0 && (
        <div class="buttons">
          {others.map(({ host }) => (
            <button key={host} type="button" class="button soft" onClick={() => (adding.value = host)}>
              Add {host}
            </button>
          ))}
        </div>
      )}
      {chosen && <TokenField key={chosen.host} forge={chosen} onKept={() => (adding.value = null)} />}
    </SettingsSection>
  );
}
