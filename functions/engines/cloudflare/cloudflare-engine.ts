// Guests as Cloudflare Containers. A Durable Object of the second script (functions/worker-guests.ts) owns
// each of them. The edge reaches them only through a binding: they have no public URL.
import * as z from "zod/mini";
import { ErrorBody, HandrailError } from "../../../shared/errors.ts";
import type { Endpoint, Engine, EngineContext, FoundGuest } from "../engine.ts";
import { PlaceReport } from "../place-keeper.ts";
import { answersAt, whenReady } from "../whether-ready.ts";
import {
  Created,
  controlPath,
  GuestRow,
  indexName,
  type NewGuest,
  notThereHeader,
  ownerHeader,
  Status,
  TakenPlace,
} from "./guest-record.ts";

/** A URL needs a host. This one is never resolved. */
const origin = "http://guest";

/** Throws `unsupported` if the edge has no binding. */
export function cloudflareEngine(context: EngineContext): Engine {
  const { elapsed, owner, platform, tokenOf } = context;
  const { containers } = platform;
  if (!containers) {
    throw new HandrailError(
      "unsupported",
      "The engine cloudflare needs the edge on Workers with the binding GUESTS: npm run deploy makes both.",
    );
  }
  // Workers accept a stub only in the request that made it, but endpoints outlive requests. So each request
  // makes its own.
  const fetchOf =
    (name: string): typeof fetch =>
    (input, init) =>
      containers.getByName(name).fetch(input, init);

  /** A request that did not arrive is reported as a refused connection, so that it may be sent again. */
  const fetchGuest = (guest: string): typeof fetch => {
    const send = fetchOf(guest);
    return async (input, init) => {
      const response = await send(input, init);
      if (!response.headers.has(notThereHeader)) return response;
      const cause = Object.assign(new Error("the container does not listen"), { code: "ECONNREFUSED" });
      throw new TypeError("fetch failed", { cause });
    };
  };

  async function tell(name: string, what: string, body: unknown = {}): Promise<unknown> {
    let response: Response;
    try {
      response = await fetchOf(name)(`${origin}${controlPath}${what}`, {
        method: "POST",
        headers: { [ownerHeader]: owner },
        body: JSON.stringify(body),
      });
    } catch (cause) {
      throw new HandrailError("sandbox_unreachable", "The guest's Durable Object does not answer.", {
        cause,
      });
    }
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    const { code, message, retryable, details } = z.parse(ErrorBody, answer).error;
    throw new HandrailError(code, message, {
      ...(retryable === undefined ? {} : { retryable }),
      ...(details === undefined ? {} : { details }),
    });
  }

  async function endpointOf(guest: string): Promise<Endpoint> {
    const headers = { authorization: `Bearer ${await tokenOf(guest)}`, [ownerHeader]: owner };
    return { url: origin, headers, fetch: fetchGuest(guest) };
  }

  async function ready(guest: string, signal?: AbortSignal): Promise<Endpoint> {
    const endpoint = await endpointOf(guest);
    return whenReady({ fetch: context.fetch, elapsed, signal, look: async () => endpoint });
  }

  const isGuest = (guest: string) => /^[a-z0-9]+$/.test(guest);

  return {
    name: "cloudflare",
    // The price of a standard-2 that is busy all the time:
    // https://developers.cloudflare.com/containers/platform/pricing/, read in November 2026.
    costPerHour: 0.13,
    async create({ name: guest, network, workspace, image, person }, signal) {
      const body: NewGuest = {
        ...{ name: guest, token: await tokenOf(guest), network, workspace },
        ...(image === undefined ? {} : { image }),
        ...(person === undefined ? {} : { person }),
      };
      // If the answer is lost, the guest is never used, and its object removes it.
      const { existed } = z.parse(Created, await tell(guest, "create", body));
      const takeBack = async () => void (existed || (await tell(guest, "take-back")));
      try {
        return { guest, endpoint: await ready(guest, signal), takeBack };
      } catch (error) {
        await takeBack().catch(() => undefined);
        throw error;
      }
    },
    async find(guest): Promise<FoundGuest> {
      if (!isGuest(guest)) return { state: "gone" };
      const { state, snapshotAt } = z.parse(Status, await tell(guest, "status"));
      if (state !== "running") return { state, ...(snapshotAt === undefined ? {} : { snapshotAt }) };
      const endpoint = await endpointOf(guest);
      return (await answersAt(context.fetch, endpoint))
        ? { state: "ready", endpoint }
        : { state: "starting" };
    },
    async wake(guest) {
      if (!isGuest(guest)) throw new HandrailError("not_found", "There is no such guest.");
      await tell(guest, "wake", { token: await tokenOf(guest) });
      return ready(guest);
    },
    keep: async (guest) => void (await tell(guest, "keep")),
    sleep: async (guest) => void (isGuest(guest) && (await tell(guest, "sleep"))),
    remove: async (guest) => void (isGuest(guest) && (await tell(guest, "remove"))),
    list: async () => z.parse(z.array(GuestRow), await tell(indexName, "list")),
    // Each isolate would count for itself; the object that lists the guests counts for all.
    places: {
      async take(asked, count) {
        const { key } = z.parse(TakenPlace, await tell(indexName, "take", { ...count, asked }));
        return async () => void (await tell(indexName, "release", { key }));
      },
      report: async (count) => z.parse(PlaceReport, await tell(indexName, "report", count)),
    },
  };
}
