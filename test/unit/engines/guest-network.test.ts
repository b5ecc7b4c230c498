// The network of a guest: one for each guest, its subnet, edges that choose at the same time, and the end of
// the range.
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { freeSubnets, rangeOf } from "../../../functions/engines/docker/address-range.ts";
import { dockerApi } from "../../../functions/engines/docker/docker-api.ts";
import { dockerSettings } from "../../../functions/engines/docker/docker-settings.ts";
import { guestNetworks } from "../../../functions/engines/docker/guest-network.ts";

const Body = z.object({
  Name: z.string(),
  IPAM: z.object({ Config: z.tuple([z.object({ Subnet: z.string() })]) }),
});

interface Network {
  Id: string;
  Name: string;
  Created: string;
  Labels: Record<string, string>;
  subnet: string;
}

const owned = { "handrail.owner": "us" };

/**
 * An engine that can make a second network of the same name, as Docker does for two simultaneous requests.
 */
class Engine {
  networks: Network[] = [
    { Id: "other", Name: "handrail-network-one", Created: "2025", Labels: {}, subnet: "172.18.0.0/16" },
  ];
  /** Subnets that the engine refuses although it does not list them. */
  hidden: string[] = [];

  add(Id: string, Name: string): void {
    this.networks.push({ Id, Name, Created: "2026", Labels: owned, subnet: "192.168.0.0/20" });
  }

  of(addresses = "10.213.0.0/16") {
    const { addresses: range } = dockerSettings({ HANDRAIL_GUEST_ADDRESSES: addresses });
    const api = dockerApi(async (input, { method, body } = {}) => {
      if (method === "GET") return Response.json(this.networks.map(listed));
      if (method === "DELETE")
        this.networks = this.networks.filter(({ Id }) => !String(input).endsWith(`/networks/${Id}`));
      else return this.#make(Body.parse(JSON.parse(String(body))));
      return new Response(null, { status: 204 });
    });
    return guestNetworks({ api, owner: "us", range });
  }

  #make({ Name, IPAM }: z.infer<typeof Body>): Response {
    const [{ Subnet: subnet }] = IPAM.Config;
    const words = "Pool overlaps with other one on this address space";
    if (this.hidden.includes(subnet) || this.networks.some((each) => each.subnet === subnet))
      return Response.json({ message: words }, { status: 403 });
    this.networks.push({ Id: `made-${this.networks.length}`, Name, Created: "2026", Labels: owned, subnet });
    return Response.json({}, { status: 201 });
  }
}

function listed({ subnet, ...network }: Network) {
  return { ...network, IPAM: { Config: [{ Subnet: subnet }] } };
}

test("each guest gets a network of its own, and the same one when it is asked for again", async () => {
  const engine = new Engine();
  const networks = engine.of();
  expect(await networks.idFor("one")).toBe("made-1");
  expect(await networks.idFor("two")).toBe("made-2");
  expect(await networks.idFor("one")).toBe("made-1");
  await networks.remove("one");
  expect(engine.networks.map(({ Id }) => Id)).toEqual(["other", "made-2"]);
});

test("of several networks that edges made at once for one guest the oldest stays", async () => {
  const engine = new Engine();
  for (const id of ["c", "a", "b"]) engine.add(id, "handrail-network-one");
  expect(await engine.of().idFor("one")).toBe("a");
  expect(engine.networks.map(({ Id }) => Id)).toEqual(["other", "a"]);
});

test("a subnet that somebody took meanwhile is passed over", async () => {
  const engine = new Engine();
  const [first, second, third] = freeSubnets(rangeOf("10.213.0.0/16") ?? never(), [], "one");
  engine.hidden = [first ?? "", second ?? ""];
  await engine.of().idFor("one");
  expect(engine.networks.at(-1)?.subnet).toBe(third);
});

test("guests get networks until the range is used up, and then the answer says what to do", async () => {
  const networks = new Engine().of("10.9.0.0/26");
  const ids = [];
  for (let guest = 0; guest < 8; guest += 1) ids.push(await networks.idFor(`guest${guest}`));
  expect(new Set(ids).size).toBe(8);
  await expect(networks.idFor("ninth")).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringMatching(/10\.9\.0\.0\/26 has room for 8.*HANDRAIL_GUEST_ADDRESSES/),
  });
  await networks.remove("guest3");
  expect(await networks.idFor("ninth")).toMatch(/^made-/);
});

test("subnets of a range leave out what others use, whatever its size", () => {
  const range = rangeOf("10.0.0.0/27") ?? never();
  const used = ["10.0.0.8/30", "10.0.0.16/28", "9.0.0.0/8"].map((text) => rangeOf(text) ?? never());
  expect([...freeSubnets(range, used, "any")]).toEqual(["10.0.0.0/29"]);
  expect([...freeSubnets(range, [rangeOf("10.0.0.0/8") ?? never()], "any")]).toEqual([]);
  expect([...freeSubnets(rangeOf("240.0.0.0/28") ?? never(), [], "any")].sort()).toEqual([
    "240.0.0.0/29",
    "240.0.0.8/29",
  ]);
});

test.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.256/24", "10.0.0.1/29", "10.0.0.0/30", "fd00::/64", "many"])(
  "%s is no range for guests",
  (addresses) => {
    expect(() => dockerSettings({ HANDRAIL_GUEST_ADDRESSES: addresses })).toThrow(/HANDRAIL_GUEST_ADDRESSES/);
  },
);

function never(): never {
  throw new Error("it is a range");
}
