// Access to existing guests: caches endpoints while they are valid, wakes guests that sleep, and reports
// their state.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { GuestInfo, SandboxInfo } from "../../shared/sandbox.ts";
import type { Capacity } from "./capacity.ts";
import type { Endpoint, Engine, EngineName, EnginePlatform, FoundGuest, GuestImages } from "./engine.ts";
import { type GuestPlace, sandboxIdOf } from "./guest-id.ts";
import { isolationIn } from "./jailed.ts";
import { namedImage } from "./named-image.ts";

export interface GuestAccess {
  /** Forwards a request, and wakes the guest for it. */
  send(place: GuestPlace, url: URL, init: RequestInit): Promise<Response>;
  /**
   * Answers `GET /v1/sandboxes/:id`: with the guest's own answer if it is awake, otherwise without waking it.
   */
  look(place: GuestPlace, url: URL, init: RequestInit): Promise<Response>;
  /** Wakes the guest, or restores it from its remaining copy if it is gone; with `image`, in that image. */
  wake(place: GuestPlace, image?: string): Promise<Response>;
  remove(place: GuestPlace): Promise<Response>;
  /** Caches the endpoint of a guest that was just made. */
  know(place: GuestPlace, endpoint: Endpoint): void;
}

interface AccessOptions {
  fetch: typeof fetch;
  now(): number;
  engine(name: EngineName): Promise<Engine>;
  capacity: Capacity;
  platform: Pick<EnginePlatform, "requestsApart">;
}

interface Waking {
  /** The result for other requests that want to wake the guest meanwhile. */
  endpoint: Promise<Endpoint>;
  /** Milliseconds since the epoch. */
  since: number;
}

interface GuestTold extends Pick<GuestInfo, "lostSince"> {
  isolation?: GuestInfo["isolation"] | undefined;
  /** The image that its repository names; "" = none. */
  names?: string | undefined;
}

/** Longer than any wake takes. An older entry belongs to a request that was dropped. */
const wakesMs = 90_000;

export function createGuestAccess({ fetch, now, engine, capacity, platform }: AccessOptions): GuestAccess {
  const known = new Map<string, Endpoint>();
  const waking = new Map<string, Waking>();
  /** The reports of each guest, cached while it is awake. */
  const told = new Map<string, GuestTold>();
  const forget = (id: string) => [known, told].forEach((kept) => void kept.delete(id));

  /** Asks each guest once while it is awake. `repository`: also asks which image the repository names. */
  async function toldOf(id: string, endpoint: Endpoint, repository: URL | undefined): Promise<GuestTold> {
    const now: GuestTold = { ...told.get(id) };
    now.isolation ??= await isolationIn(fetch, endpoint).catch(() => undefined);
    if (repository)
      now.names ??= await namedImage((path, init) =>
        pass(endpoint, new URL(`${repository.href}${path}`), init),
      ).catch(() => undefined);
    told.set(id, now);
    return now;
  }

  const keptFor = (id: string): Endpoint | undefined => {
    const endpoint = known.get(id);
    return endpoint && (endpoint.expiresAt ?? Infinity) > now() ? endpoint : undefined;
  };

  async function find(place: GuestPlace): Promise<FoundGuest> {
    const found = await (await engine(place.engine)).find(place.guest);
    // After a guest has stopped, another guest may be at its cached endpoint, because the port was free.
    if (found.state === "ready") known.set(sandboxIdOf(place), found.endpoint);
    else forget(sandboxIdOf(place));
    return found;
  }

  /** The wake in progress, if other requests may wait for it. */
  const shared = (id: string) => (platform.requestsApart ? undefined : waking.get(id));

  /** Wakes the guest once for all requests that ask meanwhile. */
  function wake(place: GuestPlace, image?: string, tried?: string): Promise<Endpoint> {
    const id = sandboxIdOf(place);
    const under = shared(id);
    const again = () => wake(place, image, tried);
    if (under) return image === undefined ? under.endpoint : under.endpoint.then(again, again);
    const endpoint = (async () => {
      const held = await capacity.admit({ who: id, id });
      try {
        const made = await engine(place.engine);
        known.delete(id);
        const woken = await (image === undefined
          ? made.wake(place.guest)
          : imagesOf(made).use(place.guest, image, tried));
        known.set(id, woken);
        const { lostSince } = woken;
        told.set(id, lostSince === undefined ? {} : { lostSince });
        return woken;
      } finally {
        await held.release();
      }
    })().finally(() => waking.delete(id));
    const forOthers = image === undefined ? endpoint : endpoint.catch(notChanged);
    forOthers.catch(() => undefined);
    waking.set(id, { endpoint: forOthers, since: now() });
    return endpoint;
  }

  async function endpointOf(place: GuestPlace, mayWake: boolean): Promise<Endpoint> {
    const kept = keptFor(sandboxIdOf(place));
    if (kept) return kept;
    const under = shared(sandboxIdOf(place));
    if (under) return under.endpoint;
    const found = await find(place);
    if (found.state === "ready") return found.endpoint;
    if (found.state === "gone") throw gone(found.snapshotAt);
    if (mayWake) return wake(place);
    throw new HandrailError(
      "sandbox_unreachable",
      "The sandbox is asleep. It wakes when something is to be done.",
      {
        details: { state: "asleep" },
      },
    );
  }

  const pass = async (endpoint: Endpoint, url: URL, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(endpoint.headers)) headers.set(name, value);
    return (endpoint.fetch ?? fetch)(`${endpoint.url}${url.pathname}${url.search}`, { ...init, headers });
  };

  async function send(place: GuestPlace, url: URL, init: RequestInit): Promise<Response> {
    const id = sandboxIdOf(place);
    const wasKnown = known.has(id);
    const mayWake = !justFollows(url);
    try {
      const answer = await pass(await endpointOf(place, mayWake), url, init);
      if (answer.status !== 401 || !wasKnown) return answer;
      // Another guest answers at this endpoint now. It has not acted on the request.
      known.delete(id);
      if (init.body instanceof ReadableStream) return answer;
      await answer.body?.cancel();
      return await pass(await endpointOf(place, mayWake), url, init);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      known.delete(id);
      // A request that may have arrived is not sent twice; the caller knows how to ask again.
      if (!wasKnown || init.signal?.aborted || !(isLook(init) || neverArrived(error))) throw error;
      return pass(await endpointOf(place, mayWake), url, init);
    }
  }

  return {
    send,

    async wake(place, image) {
      const found = await find(place);
      // The guest keeps running while the image is fetched and tried.
      const tried =
        image === undefined ? undefined : await imagesOf(await engine(place.engine)).try(place.guest, image);
      if (found.state !== "ready" || image !== undefined) await wake(place, image, tried);
      return new Response(null, { status: 204 });
    },

    async look(place, url, init) {
      const id = sandboxIdOf(place);
      const { name, costPerHour, images } = await engine(place.engine);
      const guest = { engine: name, ...(costPerHour === undefined ? {} : { costPerHour }) };
      const begun = waking.get(id)?.since;
      const since = begun !== undefined && now() - begun < wakesMs ? begun : undefined;
      const found = shared(id) ? ({ state: "starting" } as const) : await find(place);
      if (found.state === "ready") {
        const { endpoint, image } = found;
        const answer = await pass(endpoint, url, init);
        if (!answer.ok) return answer;
        const info = z.parse(z.looseObject({}), await answer.json());
        const asks = images && info.state === "ready";
        const { names, ...more } = await toldOf(id, endpoint, asks ? url : undefined);
        const other = names && names !== (image ?? images?.own) && images?.mayBe(names);
        const wantsImage = other ? names : undefined;
        return Response.json({ ...info, guest: { ...guest, image, wantsImage, ...more } });
      }
      const state = since === undefined ? found.state : "starting";
      const snapshotAt = "snapshotAt" in found ? found.snapshotAt : undefined;
      const info: SandboxInfo = {
        ...{ id, state, workspace: "" },
        guest: {
          ...guest,
          ...(since === undefined ? {} : { startingMs: Math.max(0, now() - since) }),
          ...(snapshotAt === undefined ? {} : { snapshotAt }),
        },
      };
      return Response.json(info);
    },

    async remove(place) {
      const id = sandboxIdOf(place);
      const { remove } = await engine(place.engine);
      await remove(place.guest);
      const under = shared(id);
      // The removal ends a wake in progress. What the wake had made by then is removed too.
      if (under) {
        await under.endpoint.catch(() => undefined);
        await remove(place.guest);
      }
      forget(id);
      return new Response(null, { status: 204 });
    },

    know: (place, endpoint) => void known.set(sandboxIdOf(place), endpoint),
  };
}

/**
 * A phone that waits for news of a session is no reason to wake its guest, because there is no news while it
 * sleeps.
 */
function justFollows({ pathname, searchParams }: URL): boolean {
  return pathname.endsWith("/history") && searchParams.has("waitMs");
}

function isLook({ method = "GET" }: RequestInit): boolean {
  return method === "GET";
}

/**
 * Whether the connection was refused:
 * https://nodejs.org/docs/latest-v20.x/api/errors.html#common-system-errors
 */
function neverArrived({ cause }: Error): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}

function imagesOf({ name, images }: Engine): GuestImages {
  if (images) return images;
  throw new HandrailError("unsupported", `Guests of ${name} keep the image that they were made of.`);
}

function gone(snapshotAt: number | undefined): HandrailError {
  const left =
    snapshotAt === undefined
      ? "is gone, and what was not committed and pushed with it."
      : "stopped without being saved. A copy of its files from before is left, and can be brought back.";
  return new HandrailError("not_found", `The sandbox ${left} The conversation is still on your devices.`, {
    details: { state: "gone", ...(snapshotAt === undefined ? {} : { snapshotAt }) },
  });
}

/** The error for other requests that waited for this wake but did not ask for the image. */
function notChanged(cause: unknown): never {
  throw new HandrailError("sandbox_unreachable", "The sandbox could not be started in another image.", {
    cause,
  });
}
