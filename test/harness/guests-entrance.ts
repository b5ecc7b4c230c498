// The guests' script in a workerd of the tests, reachable from other processes: `x-played-guest` names the
// Durable Object.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import type { EnginePlatform } from "../../functions/engines/engine.ts";
import { dist } from "../../scripts/build.ts";

const entrance = fileURLToPath(new URL("../fakes/engines/guests-entrance.mjs", import.meta.url));

/** The first modules of the script. `guestClass`: the text of the module that exports the class of guests. */
export function entranceModules(guestClass = 'export { SandboxGuest } from "./guests.mjs";') {
  const module = (name: string, contents: string) => ({
    type: "ESModule" as const,
    path: join(dist, name),
    contents,
  });
  return [module("entrance.mjs", readFileSync(entrance, "utf8")), module("class.mjs", guestClass)];
}

export interface GuestsEntrance {
  platform: EnginePlatform;
  send(guest: string, path: string, init?: RequestInit): Promise<Response>;
  /** Keys of the archives in R2. */
  archives(): Promise<string[]>;
}

export function entranceAt(url: () => URL): GuestsEntrance {
  const send = (guest: string, path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("x-played-guest", guest);
    return fetch(new URL(path, url()), { ...init, headers, redirect: "manual" });
  };
  return {
    send,
    platform: {
      containers: {
        getByName: (guest) => ({
          fetch: async (input, init) => {
            const { pathname, search } = new URL(String(input));
            return send(guest, `${pathname}${search}`, init);
          },
        }),
      },
    },
    async archives() {
      return z.parse(z.array(z.string()), await (await send("any", "/played/archives")).json());
    },
  };
}
