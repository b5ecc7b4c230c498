// The routes of a Durable Object of the second script: commands of the edge, and requests to the sandbox
// server in its container.
import * as z from "zod/mini";
import { HandrailError, statusOf, toHandrailError } from "../../../shared/errors.ts";
import type { GuestStorage } from "./container.ts";
import type { GuestObject } from "./guest-object.ts";
import { controlPath, GuestRow, NewGuest, notThereHeader, ownerHeader } from "./guest-record.ts";

const Woken = z.object({ token: z.string() });
const Noted = z.object({ guest: z.string(), row: z.optional(GuestRow) });

export async function answerGuest(
  guest: GuestObject,
  storage: GuestStorage,
  request: Request,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(controlPath)) {
    // A phone that polls is no reason to stay awake. Our server's own --idle-minutes does the same.
    const response = await guest.pass(request, request.method !== "GET");
    return response ?? new Response(null, { status: 503, headers: { [notThereHeader]: "1" } });
  }
  try {
    const owner = request.headers.get(ownerHeader) ?? "";
    const body: unknown = await request.json();
    return Response.json((await obey(guest, storage, owner, pathname.slice(controlPath.length), body)) ?? {});
  } catch (error) {
    const failure = toHandrailError(error);
    return Response.json({ error: failure.toInfo() }, { status: statusOf[failure.code] || 500 });
  }
}

async function obey(
  guest: GuestObject,
  storage: GuestStorage,
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
  const prefix = `row ${owner} `;
  if (order === "list") return [...(await storage.list<GuestRow>({ prefix })).values()];
  if (order !== "note") throw new HandrailError("invalid_request", `${order} is no order.`);
  const { guest: name, row } = z.parse(Noted, body);
  await (row ? storage.put(prefix + name, row) : storage.delete(prefix + name));
  return {};
}
