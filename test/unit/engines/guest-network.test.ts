// The network of all guests, where several are made at once.
import { expect, test } from "vitest";
import type { DockerApi } from "../../../functions/engines/docker/docker-api.ts";
import { guestNetwork } from "../../../functions/engines/docker/guest-network.ts";

/** An engine that makes a network of a name however many there are, as Docker does for two at once. */
function engine(...ids: string[]) {
  const networks = ids.map((Id) => ({ Id, Name: "handrail", Created: "2026" }));
  networks.push({ Id: "other", Name: "handrail-of-somebody", Created: "2025" });
  const api = {
    ask: async () => [...networks],
    async tell(method: string, path: string) {
      if (method === "POST")
        networks.push({ Id: `made-${networks.length}`, Name: "handrail", Created: "2026" });
      else
        networks.splice(
          networks.findIndex(({ Id }) => path === `/networks/${Id}`),
          1,
        );
      return 201;
    },
  } as unknown as DockerApi;
  return { api, left: () => networks.map(({ Id }) => Id) };
}

test("guests that are made at once get one network", async () => {
  const { api, left } = engine();
  expect(await Promise.all([guestNetwork(api), guestNetwork(api), guestNetwork(api)])).toEqual([
    ...["made-1", "made-1", "made-1"],
  ]);
  expect(left()).toEqual(["other", "made-1"]);
});

test("of several networks that edges made at once, the oldest stays, whose name alone starts containers", async () => {
  const { api, left } = engine("c", "a", "b");
  expect(await guestNetwork(api)).toBe("a");
  expect(left()).toEqual(["other", "a"].reverse());
});
