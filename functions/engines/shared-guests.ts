// Shared by the routes of guests: the configured engines, each loaded once, the access to guests, and their
// capacity.
import { HandrailError, toHandrailError } from "../../shared/errors.ts";
import { type Capacity, createCapacity } from "./capacity.ts";
import type { Engine, EngineContext, EngineName, ListedGuest } from "./engine.ts";
import { createGuestAccess, type GuestAccess } from "./guest-access.ts";
import { guestToken, ownerOf, sandboxIdOf } from "./guest-id.ts";
import { numberOf } from "./guest-settings.ts";
import { engineNamesIn, loadEngine } from "./known-engines.ts";

export interface GuestsOptions extends Omit<EngineContext, "tokenOf" | "owner"> {
  newId(): string;
}

/** The state that these routes share. */
export interface Guests {
  options: GuestsOptions;
  /** In the order of the setting. */
  names: readonly EngineName[];
  secret: string;
  engine(name: EngineName): Promise<Engine>;
  /** The engines that make guests and could be loaded. Throws if none could and there is no server `here`. */
  engines(): Promise<Engine[]>;
  /** The lists of all engines that answer. Throws if none does and there is no server `here`. */
  lists(): Promise<{ engine: Engine; listed: ListedGuest[] }[]>;
  access: GuestAccess;
  capacity: Capacity;
}

/** Throws `invalid_request` for wrong settings. */
export function shareGuests(options: GuestsOptions): Guests {
  const { env, platform } = options;
  const load = platform.loadEngine ?? loadEngine;
  const names = engineNamesIn(env.HANDRAIL_ENGINE);
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
      loaded.get(name) ??
      ownerOf(secret)
        .then((owner) => load(name, { ...options, tokenOf, owner }))
        .then((engine) => ({ ...engine, ...costOf(env) }));
    loaded.set(name, made);
    // A failure is not kept: after settings are fixed or an engine is back, the next request tries again.
    made.catch(() => loaded.delete(name));
    return made;
  };
  const makers = names.filter((name) => name !== "here");
  /**
   * Asks each engine. One that fails is logged and left out; if all fail and there is no server `here`, it
   * throws.
   */
  async function ofEach<T>(ask: (name: EngineName) => Promise<T>): Promise<T[]> {
    const each = await Promise.allSettled(makers.map(ask));
    const got = each.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    for (const [at, one] of each.entries()) {
      if (one.status === "fulfilled") continue;
      if (got.length === 0 && !names.includes("here")) throw one.reason;
      options.log({ event: "engine", engine: makers[at], problem: toHandrailError(one.reason).message });
    }
    return got;
  }
  const capacity = createCapacity({ ...options, names: makers, engine });
  return {
    options,
    names,
    secret,
    engine,
    engines: () => ofEach(engine),
    lists: () =>
      ofEach(async (name) => {
        const made = await engine(name);
        return { engine: made, listed: await made.list() };
      }),
    capacity,
    access: createGuestAccess({ ...options, engine, capacity }),
  };
}

/** The operator's price for a guest takes precedence over the engine's known price. */
function costOf(env: GuestsOptions["env"]): Pick<Engine, "costPerHour"> {
  const what = "the US dollars that a guest costs for an hour";
  const costPerHour = numberOf(env, "HANDRAIL_GUEST_COST", undefined, what);
  return costPerHour === undefined ? {} : { costPerHour };
}

export function unknownGuest(): HandrailError {
  return new HandrailError("not_found", "This server has no sandbox of that id.");
}
