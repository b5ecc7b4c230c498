// The token of one forge as a component has it: read from this device, kept, taken away.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ForgeList } from "../../shared/forge.ts";
import { forges, keptToken, tokensChanged } from "../app/forge.ts";

export type KnownForge = ForgeList["forges"][number];

/** null = not read yet; "" = none is kept. */
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

/** Whether requests to a forge have a login: null = not known yet. `token`: of `useForgeToken`. */
export function hasLogin(forge: KnownForge | undefined, token: string | null): boolean | null {
  if (forge === undefined || token === null) return null;
  return token !== "" || forge.signedIn;
}

/** Forges that the server knows; undefined until it has answered, empty if it does not. */
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

/** The same, empty until it has said. */
export function useForges(): readonly KnownForge[] {
  return useForgeAnswer() ?? [];
}

/** By a remote's host: its port may be that of ssh. */
export function forgeOf(known: readonly KnownForge[], host: string): KnownForge | undefined {
  const name = host.replace(/:\d+$/, "");
  return (
    known.find((one) => one.host === host) ??
    known.find((one) => one.host === name) ??
    known.find((one) => one.host.replace(/:\d+$/, "") === name)
  );
}
