// Tokens of forges, encrypted with a key that no script can read out (WebCrypto AES-GCM, not extractable), so that a
// copy of the database's files contains no token in clear text. Without a secure context, tokens last until the page is
// closed.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";

const keyName = "forge/key";

const Sealed = z.object({ iv: z.instanceof(Uint8Array), data: z.instanceof(ArrayBuffer) });

export interface ForgeTokens {
  /** "" if there is none. */
  read(host: string): Promise<string>;
  keep(host: string, token: string): Promise<void>;
  drop(host: string): Promise<void>;
  hosts(): Promise<string[]>;
  /** False if the tokens are lost when the page is closed. */
  lasts: boolean;
}

/**
 * `subtle` is undefined if the browser has none. `prefix` is that of the storage keys; tokens of MCP servers have their
 * own.
 */
export function forgeTokens(kv: Kv, subtle: SubtleCrypto | undefined, prefix = "forge/token/"): ForgeTokens {
  return subtle ? sealedTokens(kv, subtle, prefix) : tokensOfPage();
}

function sealedTokens(kv: Kv, subtle: SubtleCrypto, prefix: string): ForgeTokens {
  /** The key is made once. If two tabs make one at the same time, the first counts. */
  const key = async (): Promise<CryptoKey> => {
    const stored = await kv.get(keyName);
    if (stored instanceof CryptoKey) return stored;
    const made = await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    return kv.update(keyName, (old) => (old instanceof CryptoKey ? old : made));
  };
  // The host is part of what is authenticated, so that a stored token cannot be moved to another host.
  const sealing = (iv: Uint8Array<ArrayBuffer>, host: string) => ({
    name: "AES-GCM",
    iv,
    additionalData: new TextEncoder().encode(host),
  });
  return {
    lasts: true,
    async read(host) {
      const sealed = z.safeParse(Sealed, await kv.get(prefix + host));
      if (!sealed.success) return "";
      const { iv, data } = sealed.data;
      try {
        return new TextDecoder().decode(
          await subtle.decrypt(sealing(new Uint8Array(iv), host), await key(), data),
        );
      } catch {
        // The token was encrypted with a key that is lost, so the person is asked for it again.
        return "";
      }
    },
    async keep(host, token) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const data = await subtle.encrypt(sealing(iv, host), await key(), new TextEncoder().encode(token));
      await kv.write([[prefix + host, { iv, data }]]);
    },
    drop: (host) => kv.write([], [prefix + host]),
    hosts: async () => (await kv.range(prefix)).map(([name]) => name.slice(prefix.length)),
  };
}

function tokensOfPage(): ForgeTokens {
  const tokens = new Map<string, string>();
  return {
    lasts: false,
    read: async (host) => tokens.get(host) ?? "",
    keep: async (host, token) => void tokens.set(host, token),
    drop: async (host) => void tokens.delete(host),
    hosts: async () => [...tokens.keys()],
  };
}
