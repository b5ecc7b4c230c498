// The network of all guests, where several are made at once.
import { expect, test } from "vitest";
import { dockerApi } from "../../../functions/engines/docker/docker-api.ts";
import { guestNetwork } from "../../../functions/engines/docker/guest-network.ts";

/** An engine that makes a second network of the same name, as Docker does for two requests at once. */
function engine(...ids: string[]) {
  let networks = ids.map((Id) => ({ Id, Name: "handrail", Created: "2026" }));
  networks.push({ Id: "other", Name: "handrail-of-somebody", Created: "2025" });
  const api = dockerApi(async (input, { method } = {}) => {
    if (method === "GET") return Response.json(networks);
    if (method === "DELETE")
      networks = networks.filter(({ Id }) => !String(input).endsWith(`/networks/${Id}`));
    else networks.push({ Id: `made-${networks.length}`, Name: "handrail", Created: "2026" });
    return Response.json({}, { status: 201 });
  });
  return { api, left: () => networks.map(({ Id }) => Id) };
}

test("guests created at once get one network", async () => {
  const { api, left } = engine();
  const all = await Promise.all([guestNetwork(api), guestNetwork(api), guestNetwork(api)]);
  expect(all).toEqual(["made-1", "made-1", "made-1"]);
  expect(left()).toEqual(["other", "made-1"]);
});

test("of several networks that edges made at once the oldest stays, since its name alone starts containers", async () => {
  const { api, left } = engine("c", "a", "b");
  expect(await guestNetwork(api)).toBe("a");
  expect(left()).toEqual(["a", "other"]);
});
