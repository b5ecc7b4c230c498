// What the routes of guests share: the engines of the setting, each loaded once, the ways to guests, the places for them.
import { HandrailError } from "../../shared/errors.ts";
import { type Capacity, createCapacity } from "./capacity.ts";
import type { Engine, EngineContext, EngineName } from "./engine.ts";
import { createGuestAccess, type GuestAccess } from "./guest-access.ts";
import { guestToken, ownerOf, sandboxIdOf } from "./guest-id.ts";
import { loadEngine, namesOf } from "./known-engines.ts";

export interface GuestsOptions extends Omit<EngineContext, "tokenOf" | "owner"> {
  newId(): string;
}

/** What the routes here share. */
export interface Guests {
  options: GuestsOptions;
  /** In the order of the setting. */
  names: readonly EngineName[];
  secret: string;
  engine(name: EngineName): Promise<Engine>;
  /** Those that make guests. */
  engines(): Promise<Engine[]>;
  access: GuestAccess;
  capacity: Capacity;
}

/** Throws `invalid_request` for settings. */
export function shareGuests(options: GuestsOptions): Guests {
  const { env, platform } = options;
  const load = platform.loadEngine ?? loadEngine;
  const names = namesOf(env.HANDRAIL_ENGINE);
  const secret = env.HANDRAIL_ENGINE_SECRET ?? "";
  if (secret.length < 32) {
    throw new HandrailError(
      "invalid_request",
      "HANDRAIL_ENGINE_SECRET is not set, or shorter than 32 characters; the tokens of guests are made of it.",
    );
  }
  const loaded = new Map<EngineName, Promise<Engine>>();
  const engine = (name: EngineName): Promise<Engine> => {
    if (name === "here" || !names.includes(name)) throw unknownGuest();
    const tokenOf = (guest: string) => guestToken(secret, sandboxIdOf({ engine: name, guest }));
    const made =
      loaded.get(name) ?? ownerOf(secret).then((owner) => load(name, { ...options, tokenOf, owner }));
    loaded.set(name, made);
    // Settings that were mended, an engine that was not there: the next request tries again.
    made.catch(() => loaded.delete(name));
    return made;
  };
  const engines = () => Promise.all(names.filter((name) => name !== "here").map(engine));
  const capacity = createCapacity({ env, now: options.now, engines });
  return {
    options,
    names,
    secret,
    engine,
    engines,
    capacity,
    access: createGuestAccess({ ...options, engine, capacity }),
  };
}

export function unknownGuest(): HandrailError {
  return new HandrailError("not_found", "This server has no sandbox of that id.");
}
