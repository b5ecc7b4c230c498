// The network of all guests: found or made. Docker lets two edges that begin at once each make one of that name, and then starts
// no container in either: the name is ambiguous.
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import { networkName } from "./container-spec.ts";
import type { DockerApi } from "./docker-api.ts";

const GuestNetworks = z.array(z.object({ Id: z.string(), Name: z.string(), Created: z.string() }));

const body = {
  Name: networkName,
  CheckDuplicate: true,
  Driver: "bridge",
  // Guests do not reach each other.
  Options: { "com.docker.network.bridge.enable_icc": "false" },
};

const underWay = new WeakMap<DockerApi, Promise<string>>();

/** Its id, the oldest of that name. Guests that are made at once wait for one answer. */
export function guestNetwork(api: DockerApi): Promise<string> {
  const asked = underWay.get(api) ?? foundOrMade(api).finally(() => underWay.delete(api));
  underWay.set(api, asked);
  return asked;
}

async function foundOrMade(api: DockerApi): Promise<string> {
  const found = await oldest(api);
  if (found) return found;
  await api.tell("POST", "/networks/create", { body, absent: [409] });
  const made = await oldest(api);
  if (made) return made;
  throw new HandrailError("sandbox_unreachable", "The container engine made no network. Try again.");
}

/** Removes the others that nobody is in. */
async function oldest(api: DockerApi): Promise<string | undefined> {
  const filters = encodeURIComponent(JSON.stringify({ name: [networkName] }));
  const all = (await api.ask(GuestNetworks, `/networks?filters=${filters}`)) ?? [];
  // The filter takes parts of names too.
  const own = all.filter(({ Name }) => Name === networkName);
  const [first, ...others] = own.sort((a, b) => (a.Created + a.Id < b.Created + b.Id ? -1 : 1));
  for (const { Id } of others) await api.tell("DELETE", `/networks/${Id}`, { absent: [403, 404, 409] });
  return first?.Id;
}
