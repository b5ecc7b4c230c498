// The network of all guests: found or made. Two edges, or two guests at once, may each make one of that name.
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

/** Its id, the oldest of that name: the name alone may be ambiguous. */
export async function guestNetwork(api: DockerApi): Promise<string> {
  const found = await oldest(api);
  if (found) return found;
  await api.tell("POST", "/networks/create", { body, absent: [409] });
  const made = await oldest(api);
  if (made) return made;
  throw new HandrailError("sandbox_unreachable", "The container engine made no network. Try again.");
}

async function oldest(api: DockerApi): Promise<string | undefined> {
  const filters = encodeURIComponent(JSON.stringify({ name: [networkName] }));
  const all = (await api.ask(GuestNetworks, `/networks?filters=${filters}`)) ?? [];
  // The filter takes parts of names too.
  const own = all.filter(({ Name }) => Name === networkName);
  return own.sort((a, b) => (a.Created + a.Id < b.Created + b.Id ? -1 : 1))[0]?.Id;
}
