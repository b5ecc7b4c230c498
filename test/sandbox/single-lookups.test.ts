// A command whose names nobody answers for keeps one of the machine's lookups waiting, not all of them.
import { expect, test } from "vitest";
import { singleLookups } from "../../sandbox/network/single-lookups.ts";
import { publicAddress, testReach } from "./network-origin.ts";

/** A reach whose lookups end when the test says so. */
function heldBack() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const ending = new AbortController();
  const addresses = (name: string) =>
    new Promise<string[]>((resolve, reject) => {
      asked.push(name);
      answers.push(() => (name === "fails.test" ? reject(new Error("ENOTFOUND")) : resolve([publicAddress])));
    });
  const reach = singleLookups({ ...testReach({}, {}), addresses }, ending.signal);
  return { asked, ending, reach, answer: () => answers.shift()?.() };
}

test("a command's names are looked up one after the other; requests for one name share its answer", async () => {
  const { asked, reach, answer } = heldBack();
  const found = ["fails.test", "a.test", "fails.test", "b.test", "a.test"].map((name) =>
    reach.addresses(name).catch(() => "failed"),
  );
  const [first, a, again, b] = found;
  await Promise.resolve();
  expect(asked).toEqual(["fails.test"]);
  answer();
  expect(await Promise.all([first, again])).toEqual(["failed", "failed"]);
  expect(asked).toEqual(["fails.test", "a.test"]);
  answer();
  expect(await a).toEqual([publicAddress]);
  answer();
  expect(await b).toEqual([publicAddress]);
  // A later request for the same name asks again.
  const later = reach.addresses("a.test");
  await Promise.resolve();
  answer();
  expect(await later).toEqual([publicAddress]);
  expect(asked).toEqual(["fails.test", "a.test", "b.test", "a.test"]);
});

test("names that wait when the command ends are not looked up", async () => {
  const { asked, ending, reach, answer } = heldBack();
  const [first, second] = [reach.addresses("a.test"), reach.addresses("b.test")];
  await Promise.resolve();
  ending.abort();
  answer();
  expect(await Promise.all([first, second])).toEqual([[publicAddress], []]);
  expect(asked).toEqual(["a.test"]);
});
