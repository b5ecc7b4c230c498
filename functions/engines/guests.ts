// Serves the edge's sandbox client if sessions have guests. It answers like a single sandbox server and
// forwards each request to the guest that the sandbox's id names. Endpoints are kept only for this process.
import * as z from "zod/mini";
import { type ErrorBody, HandrailError, statusOf, toHandrailError } from "../../shared/errors.ts";
import { countGuests } from "./count-guests.ts";
import { guestPlaceOf } from "./guest-id.ts";
import { listAll, turnsOfAll } from "./guest-list.ts";
import { makeGuest } from "./make-guest.ts";
import { type Guests, type GuestsOptions, shareGuests, unknownGuest } from "./shared-guests.ts";

/** Time between two searches for leftovers, on hosts with a long-lived process. */
const tendEveryMs = 60_000;

/** The path of the request that starts such a search on hosts without a timer. */
const tendPath = "/tend";

/**
 * A `fetch` for `/v1` of all guests and of the sandbox server `here`. Its own failures become error
 * responses.
 */
export function guestFetch(options: GuestsOptions): typeof fetch {
  let guests: Guests | undefined;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    try {
      const isFirst = guests === undefined;
      guests ??= shareGuests(options);
      const tending = isFirst || url.pathname === tendPath ? tend(guests) : undefined;
      if (url.pathname === tendPath) {
        await tending;
        return new Response();
      }
      return await route(guests, url, init);
    } catch (error) {
      // Errors of the connection are passed on unchanged, so that the client can tell its own abort from a
      // failure.
      if (!(error instanceof HandrailError)) throw error;
      const failure = toHandrailError(error);
      return Response.json({ error: failure.toInfo() } satisfies ErrorBody, {
        status: statusOf[failure.code] || 500,
      });
    }
  };
}

async function route(guests: Guests, url: URL, init: RequestInit): Promise<Response> {
  const { fetch } = guests.options;
  const [, encoded = "", rest = ""] = /^\/v1\/sandboxes\/([^/]+)(.*)$/.exec(url.pathname) ?? [];
  const id = decodeURIComponent(encoded);
  const place = guestPlaceOf(id);
  if (place) {
    if (rest === "" && init.method === "DELETE") return guests.access.remove(place);
    if (rest === "" && (init.method ?? "GET") === "GET") return guests.access.look(place, url, init);
    if (rest === "/wake") return guests.access.wake(place, url.searchParams.get("image") || undefined);
    return guests.access.send(place, url, init);
  }
  if (url.pathname === "/v1/guests") return Response.json(await countGuests(guests));
  if (url.pathname === "/v1/turns") return Response.json(await turnsOfAll(guests, url, init));
  if (url.pathname === "/v1/sandboxes")
    return init.method === "POST" ? makeGuest(guests, url, init) : listAll(guests, url, init);
  if (url.pathname === "/v1/capabilities") return capabilities(guests, url, init);
  if (!guests.names.includes("here")) throw unknownGuest();
  return fetch(url, init);
}

async function capabilities(
  { names, options, engines }: Guests,
  url: URL,
  init: RequestInit,
): Promise<Response> {
  const Answer = z.looseObject({});
  const answer = names.includes("here") ? await options.fetch(url, init) : undefined;
  if (answer && !answer.ok) return answer;
  // If every session has a guest, these are the abilities of our server in a container. Each guest reports
  // its own more exactly.
  const own = answer
    ? z.parse(Answer, await answer.json())
    : {
        ...{ protocol: 1, engine: names.join(", "), ...isolationOf(options.env) },
        ...{ snapshots: true, limits: { postedBytes: 1 } },
      };
  const made = await engines();
  const offered = names.map((name) => {
    const costPerHour = made.find((engine) => engine.name === name)?.costPerHour;
    return { name, ...(costPerHour === undefined ? {} : { costPerHour }) };
  });
  return Response.json({ ...own, engines: offered });
}

/** Guests without a jail are refused unless the operator allows them. */
function isolationOf({ HANDRAIL_GUEST_JAIL: jail }: GuestsOptions["env"]): object {
  if (jail === "0") return { isolation: "none", readonlyExec: "allowlist" };
  const network = { registries: "proxy", full: "proxy" };
  return { isolation: "bubblewrap", readonlyExec: "os", seccomp: true, network };
}

/** Never rejects. Repeats itself on hosts where the process continues; elsewhere each call searches once. */
async function tend(guests: Guests): Promise<void> {
  const { log, platform } = guests.options;
  const orLogged = async (engine: string | undefined, act: () => Promise<unknown> | undefined) => {
    try {
      await act();
    } catch (error) {
      log({ event: "tend_guests", engine, problem: error instanceof Error ? error.message : "unknown" });
    }
  };
  await orLogged(undefined, async () => {
    for (const engine of await guests.engines()) await orLogged(engine.name, () => engine.tend?.());
  });
  await orLogged(undefined, () => guests.capacity.meter());
  if (platform.keepsRunning) setTimeout(() => void tend(guests), tendEveryMs);
}
