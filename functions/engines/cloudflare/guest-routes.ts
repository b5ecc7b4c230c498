// The routes of a Durable Object of the second script: commands of the edge, and requests to the sandbox
// server in its container.
import * as z from "zod/mini";
import { HandrailError, statusOf, toHandrailError } from "../../../shared/errors.ts";
import { AskedPlace, PlaceCount } from "../place-keeper.ts";
import type { GuestStorage } from "./container.ts";
import type { GuestObject } from "./guest-object.ts";
import type { GuestPlaces } from "./guest-places.ts";
import {
  controlPath,
  GuestRow,
  NewGuest,
  notThereHeader,
  ownerHeader,
  rowsPrefix,
  TakenPlace,
} from "./guest-record.ts";

const Woken = z.object({ token: z.string() });
const AskedForPlace = z.object({ ...PlaceCount.shape, asked: AskedPlace });
const Noted = z.object({ guest: z.string(), row: z.optional(GuestRow) });

/** `places`: used by the object that lists all guests. */
export interface GuestAnswering {
  guest: GuestObject;
  places: GuestPlaces;
  storage: GuestStorage;
}

export async function answerGuest(object: GuestAnswering, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(controlPath)) {
    // A GET does not keep the guest awake, because a phone polls all the time. It does not count for --idle-minutes of
    // the sandbox server either.
    const response = await object.guest.pass(request, request.method !== "GET");
    return response ?? new Response(null, { status: 503, headers: { [notThereHeader]: "1" } });
  }
  try {
    const owner = request.headers.get(ownerHeader) ?? "";
    const body: unknown = await request.json();
    return Response.json((await obey(object, owner, pathname.slice(controlPath.length), body)) ?? {});
  } catch (error) {
    const failure = toHandrailError(error);
    return Response.json({ error: failure.toInfo() }, { status: statusOf[failure.code] || 500 });
  }
}

async function obey(
  { guest, places, storage }: GuestAnswering,
  owner: string,
  order: string,
  body: unknown,
): Promise<unknown> {
  if (order === "create") return guest.create(owner, z.parse(NewGuest, body));
  if (order === "wake") return guest.wake(owner, z.parse(Woken, body).token);
  if (order === "status") return guest.status(owner);
  if (order === "sleep") return guest.sleep(owner);
  if (order === "keep") return guest.keep(owner);
  if (order === "remove") return guest.remove(owner);
  if (order === "take-back") return guest.takeBack(owner);
  if (order === "take") return places.take(owner, z.parse(AskedForPlace, body));
  if (order === "release") return places.release(z.parse(TakenPlace, body).key);
  if (order === "report") return places.report(owner, z.parse(PlaceCount, body));
  const prefix = rowsPrefix(owner);
  if (order === "list") return [...(await storage.list<GuestRow>({ prefix })).values()];
  if (order !== "note") throw new HandrailError("invalid_request", `${order} is not an order.`);
  const { guest: name, row } = z.parse(Noted, body);
  await (row ? storage.put(prefix + name, row) : storage.delete(prefix + name));
  return {};
}
