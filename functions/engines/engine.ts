// What an engine of sandboxes is: it starts our sandbox server in a guest of its own for each session, and says where it
// answers. One contract, one implementation a folder; nothing here or there stores anything.
import type { Network } from "../../shared/network.ts";

/** `here` is the sandbox server that the edge is given by SANDBOX_URL: it makes no guests. */
export const engineNames = ["here", "docker", "cloudflare", "e2b"] as const;
export type EngineName = (typeof engineNames)[number];

/** Where the sandbox server of a guest answers. */
export interface Endpoint {
  /** Its origin, without `/v1`. */
  url: string;
  /** Sent with each request, `authorization` with the guest's token among them. */
  headers: Readonly<Record<string, string>>;
  /** When it has to be looked up again, in milliseconds since the epoch; absent = when a request to it fails. */
  expiresAt?: number;
  /** How it is reached if it has no public URL; absent = by the edge's own `fetch`. */
  fetch?: typeof fetch;
  /** Writes after this time (milliseconds since the epoch) were lost by the engine while the guest slept. */
  lostSince?: number;
}

export interface GuestSpec {
  /** Proposed by the edge, `[a-z0-9]{20}`: two creations with one name make one guest. An engine may name it otherwise. */
  name: string;
  /** What the sandbox server is started with; each sandbox may ask for less. */
  network: Network;
  /** From a repository's own settings; absent = HANDRAIL_IMAGE. */
  image?: string;
  /**
   * Marks the guests of one person, `[a-z0-9]{12}`; says nothing about who it is. Absent = the server does not know.
   */
  person?: string;
  /** Shown in lists while the guest sleeps: a name for people, of at most 60 characters without controls. */
  workspace: string;
}

export interface Guest {
  /** What the engine calls it, `[A-Za-z0-9_-]{1,80}`. With the engine's name it makes the id of the sandbox. */
  guest: string;
  endpoint: Endpoint;
  /**
   * For what fails afterwards: removes what this creation made, unless another creation of its name was given it too, or a
   * session is in it. Nothing happens to a guest that was there before.
   */
  takeBack(): Promise<void>;
}

/**
 * `starting`: it answers soon. `asleep`: `wake` brings back its files and journal; only storage is billed. `gone`: it
 * cannot come back by itself. `snapshotAt`: the time (milliseconds since the epoch) of a copy that is left; `wake` makes the guest
 * again from it, and later writes are lost, so a person decides. `image`: the image it was given.
 */
export type FoundGuest =
  | { state: "ready"; endpoint: Endpoint; image?: string }
  | { state: "starting" }
  | { state: "asleep" }
  | { state: "gone"; snapshotAt?: number };
export type GuestState = FoundGuest["state"];

/** A guest as its engine lists it. Times in milliseconds since the epoch. */
export interface ListedGuest {
  guest: string;
  /** The name that the edge proposed; absent = `guest`. */
  name?: string;
  state: GuestState;
  createdAt: number;
  workspace: string;
  /** As its spec had it. */
  person?: string | undefined;
}

/**
 * All methods throw HandrailError: `sandbox_unreachable` if the engine does not answer (retryable), `rate_limited`
 * where it takes no more guests for now, `invalid_request` for settings that a person has to change. Any of them may be
 * called twice, at once, or after an edge died in the middle of one: the second call finishes or finds what the first
 * began.
 */
export interface Engine {
  readonly name: EngineName;
  /** US dollars that a guest costs for an hour awake, for display; absent = nothing is known. */
  readonly costPerHour?: number;
  /** Resolves when the guest's sandbox server has answered. What fails leaves no guest that was not there before. */
  create(spec: GuestSpec, signal?: AbortSignal): Promise<Guest>;
  /** `ready` only where the sandbox server should answer now. Looks, and changes nothing. */
  find(guest: string): Promise<FoundGuest>;
  /** Resolves when its sandbox server has answered. Throws `not_found` if it is gone and no copy is left. */
  wake(guest: string): Promise<Endpoint>;
  /** Its sandbox was made. A guest that is never kept is a leftover of an edge that died, which `tend` may remove. */
  keep?(guest: string): Promise<void>;
  /** Resolves when all acknowledged writes are kept and nothing runs. A guest that is gone is no error. */
  sleep(guest: string): Promise<void>;
  /** Deletes the guest and everything it owns, copies too. A guest that is gone is no error. */
  remove(guest: string): Promise<void>;
  /** All guests that this edge's secret made. An engine may list a new one late. */
  list(): Promise<ListedGuest[]>;
  /** Puts idle guests to sleep and removes leftovers, where the engine does not. */
  tend?(): Promise<void>;
  /** Where a guest can be made again in another image, around its files and its journal. */
  images?: GuestImages;
}

export interface GuestImages {
  /** That of guests that were given no other. */
  own: string;
  /** The operator lets a repository name it. */
  mayBe(image: string): boolean;
  /**
   * Resolves when a session works in it, with what the name led to: by the time of `use` it may lead to another image.
   * Nothing of the guest is touched; `invalid_request` if the image is of no use. undefined = there was nothing to try.
   */
  try(guest: string, image: string): Promise<string | undefined>;
  /** After `try`. Resolves when the sandbox server has answered there; a guest that has the image already is only woken. */
  use(guest: string, image: string, tried?: string): Promise<Endpoint>;
}

/** What an engine is given. */
export interface EngineContext {
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  log(entry: Record<string, string | number | boolean | undefined>): void;
  /** The bearer token of a guest's sandbox server, 43 characters of base64url: derived from the secret and the sandbox's id. */
  tokenOf(guest: string): Promise<string>;
  /**
   * Marks the guests of this secret among others of the same account, `[a-z0-9]{12}`; says nothing about the secret.
   */
  owner: string;
  /** What only the platform can give: sockets on Node and Deno, bindings on Workers. */
  platform: EnginePlatform;
}

/**
 * A `fetch` over connections to `address`, which has DOCKER_HOST's form: `unix://PATH`, `tcp://HOST:PORT`,
 * `ssh://USER@HOST`. With `container` they continue, through that engine, to the sandbox server in it.
 */
export type Dial = (address: string, container?: string) => typeof fetch;

export interface EnginePlatform {
  /**
   * The built sandbox server, one file, to be put into guests; absent if the edge has none: then images must have it.
   */
  serverFile?(): Promise<Uint8Array<ArrayBuffer>>;
  /** Writes a file of this machine and gives its path, for engines that take one by its path only; absent on Workers. */
  fileOf?(text: string): Promise<string>;
  /** The process continues between requests, so that it can look for leftovers by itself. */
  goesOn?: boolean;
  /** A request does not wait for what another one does, as on Workers, which drop it when that one's client leaves. */
  requestsApart?: boolean;
  /** Makes an engine in place of ours. */
  loadEngine?(name: EngineName, context: EngineContext): Promise<Engine>;
  /** Opens connections that `fetch` cannot (Unix sockets, TLS with a client's key, ssh); absent on Workers. */
  dial?(): Promise<Dial>;
  /** All of 127.0.0.0/8 is this machine's own, as on Linux. */
  loopbacks?: boolean;
  /** The Durable Objects with a container each (wrangler.sandbox.toml), on Workers alone. */
  containers?: { getByName(name: string): { fetch: typeof fetch } } | undefined;
}
