// The token of one forge for components: read from this device, stored, removed.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ForgeList } from "../../shared/forge.ts";
import { forges, keptToken, tokensChanged } from "../app/forge.ts";

export type KnownForge = ForgeList["forges"][number];

/** null = not read yet; "" = none is stored. */
export function useForgeToken(host: string | undefined): string | null {
  const token = useSignal<string | null>(null);
  const change = tokensChanged.value;
  useEffect(() => {
    if (host === undefined) return;
    keptToken(host).then(
      (kept) => (token.value = kept),
      () => (token.value = ""),
    );
  }, [host, change]);
  return token.value;
}

/** Whether requests to a forge can be authenticated: null = not known yet. `token`: from `useForgeToken`. */
export function hasLogin(forge: KnownForge | undefined, token: string | null): boolean | null {
  if (forge === undefined || token === null) return null;
  return token !== "" || forge.signedIn;
}

/** The forges that the server supports; undefined until it has responded, empty if the request fails. */
export function useForgeAnswer(): readonly KnownForge[] | undefined {
  const known = useSignal<readonly KnownForge[] | undefined>(undefined);
  useEffect(() => {
    forges().then(
      (list) => (known.value = list),
      () => (known.value = []),
    );
  }, []);
  return known.value;
}

/** Like `useForgeAnswer`, but empty until the server has responded. */
export function useForges(): readonly KnownForge[] {
  return useForgeAnswer() ?? [];
}

/** Finds a forge by a remote's host; a port is ignored, because it may be that of ssh. */
export function forgeOf(known: readonly KnownForge[], host: string): KnownForge | undefined {
  const name = host.replace(/:\d+$/, "");
  return (
    known.find((one) => one.host === host) ??
    known.find((one) => one.host === name) ??
    known.find((one) => one.host.replace(/:\d+$/, "") === name)
  );
}
