// The network of one guest: found by its name, or made. Docker's own address pools hold only about thirty
// networks, so each network gets a subnet of eight addresses from our own range.
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import { type AddressRange, freeSubnets, rangeOf } from "./address-range.ts";
import { labels, networkOf } from "./container-spec.ts";
import type { DockerApi } from "./docker-api.ts";

const GuestNetworks = z.array(
  z.object({
    Id: z.string(),
    Name: z.string(),
    Created: z.string(),
    Labels: z.optional(z.nullable(z.catchall(z.object({}), z.string()))),
    IPAM: z.optional(
      z.object({ Config: z.optional(z.nullable(z.array(z.object({ Subnet: z.optional(z.string()) })))) }),
    ),
  }),
);
type GuestNetwork = z.infer<typeof GuestNetworks>[number];

/** How often others may take a subnet between the listing and the creation. */
const subnetTries = 20;

interface NetworksOptions {
  api: DockerApi;
  owner: string;
  /** The range of the guests' subnets. */
  range: AddressRange;
}

export function guestNetworks({ api, owner, range }: NetworksOptions) {
  const list = async () => (await api.ask(GuestNetworks, "/networks")) ?? [];
  const isOurs = ({ Labels }: GuestNetwork) => Labels?.[labels.owner] === owner;
  const drop = (id: string) => api.tell("DELETE", `/networks/${id}`, { absent: [403, 404, 409] });

  /**
   * The oldest network with that name. Removes the others, because two edges that begin at the same time may
   * each make one.
   */
  async function oldest(name: string, all: readonly GuestNetwork[]): Promise<string | undefined> {
    const own = all.filter((each) => each.Name === name && isOurs(each));
    const [first, ...others] = own.sort((a, b) => (a.Created + a.Id < b.Created + b.Id ? -1 : 1));
    for (const { Id } of others) await drop(Id);
    return first?.Id;
  }

  async function make(guest: string, all: readonly GuestNetwork[]): Promise<void> {
    const subnets = all.flatMap(({ IPAM }) => IPAM?.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
    const used = subnets.flatMap((subnet) => rangeOf(subnet) ?? []);
    let tries = 0;
    for (const Subnet of freeSubnets(range, used, guest)) {
      const body = { ...networkBody(guest, owner), IPAM: { Config: [{ Subnet }] } };
      try {
        await api.tell("POST", "/networks/create", { body, absent: [409] });
        return;
      } catch (error) {
        const said = error instanceof HandrailError ? error.message : "";
        // Podman's equivalent of 409.
        if (said.includes("network already exists")) return;
        tries += 1;
        if (!/overlap|subnet \S+ is already used/.test(said) || tries >= subnetTries) throw error;
      }
    }
    throw new HandrailError(
      "rate_limited",
      `The container engine has no address left for another sandbox: ${range.text} has room for ${range.count}, those that sleep included. Delete sessions, or name a larger range in HANDRAIL_GUEST_ADDRESSES.`,
      { retryable: false, details: { reason: "addresses" } },
    );
  }

  return {
    /** The id of the guest's network, which is made if it does not exist. */
    async idFor(guest: string): Promise<string> {
      const name = networkOf(guest);
      const all = await list();
      const found = await oldest(name, all);
      if (found) return found;
      await make(guest, all);
      const made = await oldest(name, await list());
      if (made) return made;
      throw new HandrailError("sandbox_unreachable", "The container engine made no network. Try again.");
    },

    async remove(guest: string): Promise<void> {
      const name = networkOf(guest);
      for (const each of await list()) if (each.Name === name && isOurs(each)) await drop(each.Id);
    },

    /** The guests whose networks were made before this time, in milliseconds since the epoch. */
    async madeBefore(time: number): Promise<string[]> {
      const old = (await list()).filter((each) => isOurs(each) && Date.parse(each.Created) < time);
      return old.flatMap(({ Name }) => /^handrail-network-(\w+)$/.exec(Name)?.[1] ?? []);
    },
  };
}

/** The engine's firewall separates bridges, so that guests cannot reach each other. */
function networkBody(guest: string, owner: string): object {
  return {
    Name: networkOf(guest),
    CheckDuplicate: true,
    Driver: "bridge",
    Labels: { [labels.owner]: owner },
    // The container that tries an image is in the same network, and must not reach the guest.
    Options: { "com.docker.network.bridge.enable_icc": "false" },
  };
}
