// The contract of sandbox engines. An engine starts our sandbox server in a separate guest for each session
// and tells its endpoint. There is one implementation in each folder. Neither the contract nor an
// implementation stores anything.
import type { Network } from "../../shared/network.ts";
import type { AskedPlace, PlaceCount, PlaceReport } from "./place-keeper.ts";

/** `here` is the sandbox server that SANDBOX_URL names. It makes no guests. */
export const engineNames = ["here", "docker", "cloudflare", "e2b"] as const;
export type EngineName = (typeof engineNames)[number];

/** The address of a guest's sandbox server. */
export interface Endpoint {
  /** Its origin, without `/v1`. */
  url: string;
  /** Sent with each request. They include `authorization` with the guest's token. */
  headers: Readonly<Record<string, string>>;
  /**
   * When the endpoint has to be looked up again, in milliseconds since the epoch; absent = when a request to
   * it fails.
   */
  expiresAt?: number;
  /** How to reach it if it has no public URL; absent = with the edge's own `fetch`. */
  fetch?: typeof fetch;
  /** The engine lost writes after this time (milliseconds since the epoch) while the guest slept. */
  lostSince?: number;
}

export interface GuestSpec {
  /**
   * Proposed by the edge, `[a-z0-9]{20}`. Two creations with one name make one guest. The engine may name the
   * guest differently.
   */
  name: string;
  /** The network with which the sandbox server is started. Each sandbox may ask for less. */
  network: Network;
  /** The image from the repository's settings; absent = HANDRAIL_IMAGE. */
  image?: string;
  /**
   * Marks the guests of one person, `[a-z0-9]{12}`, without revealing who it is. Absent = the server does not
   * know persons.
   */
  person?: string;
  /**
   * A name for people, shown in lists while the guest sleeps: at most 60 characters, without control
   * characters.
   */
  workspace: string;
}

export interface Guest {
  /**
   * The engine's name for it, `[A-Za-z0-9_-]{1,80}`. Together with the engine's name it is the id of the
   * sandbox.
   */
  guest: string;
  endpoint: Endpoint;
  /**
   * Call it if a later step fails: it removes what this creation made, unless another creation with its name
   * uses the guest or a session is in it. A guest that existed before is not touched.
   */
  takeBack(): Promise<void>;
}

/**
 * `starting`: it will answer soon. `asleep`: `wake` restores its files and journal, and only storage is
 * billed. `gone`: it cannot be woken as it was. `snapshotAt`: the time (milliseconds since the epoch) of a
 * remaining copy; `wake` makes the guest again from it, and later writes are lost, so a person decides.
 * `image`: the image that it was given.
 */
export type FoundGuest =
  | { state: "ready"; endpoint: Endpoint; image?: string }
  | { state: "starting" }
  | { state: "asleep" }
  | { state: "gone"; snapshotAt?: number };
export type GuestState = FoundGuest["state"];

/** A guest in its engine's list. Times are in milliseconds since the epoch. */
export interface ListedGuest {
  guest: string;
  /** The name that the edge proposed; absent = `guest`. */
  name?: string;
  state: GuestState;
  createdAt: number;
  workspace: string;
  /** The `person` of its spec. */
  person?: string | undefined;
}

/**
 * All methods throw HandrailError: `sandbox_unreachable` (retryable) if the engine does not answer,
 * `rate_limited` if it accepts no more guests for now, `invalid_request` for settings that a person has to
 * change. Any method may be called twice, even at the same time, or after an edge died in the middle of a
 * call. The second call then finishes or finds what the first began.
 */
export interface Engine {
  readonly name: EngineName;
  /** The price of an hour awake in US dollars, for display; absent = not known. */
  readonly costPerHour?: number;
  /** Resolves when the guest's sandbox server has answered. If it fails, no new guest is left behind. */
  create(spec: GuestSpec, signal?: AbortSignal): Promise<Guest>;
  /** `ready` only if the sandbox server should answer now. Changes nothing. */
  find(guest: string): Promise<FoundGuest>;
  /**
   * Resolves when the guest's sandbox server has answered. Throws `not_found` if the guest is gone and no
   * copy is left.
   */
  wake(guest: string): Promise<Endpoint>;
  /**
   * Call it when the guest's sandbox has been made. A guest for which this is never called is a leftover of
   * an edge that died, and `tend` may remove it.
   */
  keep?(guest: string): Promise<void>;
  /**
   * Resolves when all acknowledged writes are saved and nothing runs. Does nothing for a guest that is gone.
   */
  sleep(guest: string): Promise<void>;
  /** Deletes the guest and everything it owns, including copies. Does nothing for a guest that is gone. */
  remove(guest: string): Promise<void>;
  /** All guests that were made with this edge's secret. An engine may list a new one late. */
  list(): Promise<ListedGuest[]>;
  /** Puts idle guests to sleep and removes leftovers, if the engine does not do so itself. */
  tend?(): Promise<void>;
  /** Present if a guest can be made again in another image with its files and its journal. */
  images?: GuestImages;
  /** Counts for all processes of the edge at once; absent = each process counts for itself. */
  places?: SharedPlaces;
}

/** The engine counts its own guests; the caller passes those of other engines (`others`). */
export interface SharedPlaces {
  /** Like `PlaceKeeper.take`. */
  take(asked: AskedPlace, count: PlaceCount): Promise<() => Promise<void>>;
  /** Adds the cost of the guests since the last call, and returns the totals. */
  report(count: PlaceCount): Promise<PlaceReport>;
}

export interface GuestImages {
  /** The image of guests that were given no other. */
  own: string;
  /** Whether the operator lets a repository choose this image. */
  mayBe(image: string): boolean;
  /**
   * Starts the image on trial and resolves with its id once a session works in it: by the time of `use`, its
   * name may mean a different image. Does not touch the guest. Throws `invalid_request` if the image is not
   * usable. undefined = there was nothing to try.
   */
  try(guest: string, image: string): Promise<string | undefined>;
  /**
   * Call it after `try`. Resolves when the sandbox server has answered in the new image. A guest that has the
   * image already is only woken.
   */
  use(guest: string, image: string, tried?: string): Promise<Endpoint>;
}

/** Everything that an engine is given. */
export interface EngineContext {
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  log(entry: Record<string, string | number | boolean | undefined>): void;
  /**
   * The bearer token of a guest's sandbox server, 43 characters of base64url, derived from the secret and the
   * sandbox's id.
   */
  tokenOf(guest: string): Promise<string>;
  /**
   * Distinguishes the guests of this secret from others in the same account, `[a-z0-9]{12}`, without
   * revealing the secret.
   */
  owner: string;
  /** Abilities that only the platform has: sockets on Node and Deno, bindings on Workers. */
  platform: EnginePlatform;
}

/**
 * A `fetch` over connections to `address`, which is in DOCKER_HOST's form: `unix://PATH`, `tcp://HOST:PORT`,
 * `ssh://USER@HOST`. With `container`, the connections lead through that engine to the sandbox server in the
 * container.
 */
export type Dial = (address: string, container?: string) => typeof fetch;

export interface EnginePlatform {
  /**
   * The built sandbox server, one file, to be installed in guests. Absent if the edge has none; images must
   * then contain it.
   */
  serverFile?(): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Writes a file on this machine and returns its path, for engines that accept only a path. Absent on
   * Workers.
   */
  fileOf?(text: string): Promise<string>;
  /**
   * Keeps a text of a few bytes across restarts of the edge. `isShared`: all processes of the edge keep the same
   * one.
   */
  spending?: { load(): Promise<string | undefined>; store(text: string): Promise<void>; isShared?: boolean };
  /** true = the process continues between requests, so that it can look for leftovers on a timer. */
  keepsRunning?: boolean;
  /**
   * true = a request must not wait for the work of another one. Workers drop that work when the other client
   * leaves.
   */
  requestsApart?: boolean;
  /** Replaces our own engines. */
  loadEngine?(name: EngineName, context: EngineContext): Promise<Engine>;
  /**
   * Opens connections that `fetch` cannot open (Unix sockets, TLS with a client key, ssh). Absent on Workers.
   */
  dial?(): Promise<Dial>;
  /** true = all of 127.0.0.0/8 belongs to this machine, as on Linux. */
  loopbacks?: boolean;
  /** The Durable Objects that own a container each (wrangler.sandbox.toml). Only on Workers. */
  containers?: { getByName(name: string): { fetch: typeof fetch } } | undefined;
}
