// The checks of a report: which of them the person is asked about, all at once, and which network one gets.
import { expect, test } from "vitest";
import { checkCall, gateChecks, unaskedChecks } from "../../../functions/plan/checks.ts";

type Turn = Parameters<typeof gateChecks>[0];

const turn: Turn = Object({
  env: { grants: [], network: "none", request: { turnId: "t1" } },
  state: { mode: "normal", history: [], plan: null },
});
const call = { id: "c", name: "update_plan", arguments: "{}" };
const pending = { call, key: "t/0/0", at: 1, permitted: false };
const download = "curl -O https://example.com/a";
const removal = "rm -rf /opt/a";

const asked = (commands: readonly string[], permitted = false) => {
  const [draft] = gateChecks(turn, { ...pending, permitted }, commands)?.drafts ?? [];
  return draft?.event === "permission" ? draft.data : undefined;
};

test("one question covers all checks of a report, and says why for each", () => {
  const commands = ["npm test", removal, "npm ci"];
  expect(asked(commands)).toMatchObject({ commands });
  for (const words of ["`rm -rf /opt/a`", "`npm ci`"]) expect(asked(commands)?.why).toContain(words);
});

test("a check that only needs the network is asked about, and one that needs nothing is not", () => {
  expect(asked(["npm ci"])).toMatchObject({ risk: "network" });
  expect(asked(["npm ci"], true)).toBeUndefined();
  expect(asked(["npm test"])).toBeUndefined();
});

test("where nobody is asked, neither a risk nor the network is taken as allowed", () => {
  expect([...unaskedChecks(turn, ["npm test", removal, "npm ci"])].sort()).toEqual(
    ["npm ci", removal].sort(),
  );
});

test("a check reaches its hosts only once the person has allowed it", () => {
  const check = { command: download };
  const network = (permitted: boolean) =>
    checkCall(turn, { ...pending, permitted }, { key: "k", check: Object(check) }).args.network;
  expect([network(false), network(true)]).toEqual([undefined, ["example.com"]]);
});
