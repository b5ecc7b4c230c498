import { expect, test } from "vitest";
import { guestPlaceOf, guestToken, ownerOf, sandboxIdOf } from "../../../functions/engines/guest-id.ts";
import { engineNamesIn } from "../../../functions/engines/known-engines.ts";
import { SandboxId } from "../../../shared/sandbox.ts";

test("an id contains engine and guest, and is a valid id", () => {
  const id = sandboxIdOf({ engine: "e2b", guest: "iab12-x_Y" });
  expect(SandboxId.parse(id)).toBe(id);
  expect(guestPlaceOf(id)).toEqual({ engine: "e2b", guest: "iab12-x_Y" });
});

test.each(["xOtRa-_AbCdEf012", "here--abc", "docker-abc", "docker--", "other--abc", "docker--a/b"])(
  "%s belongs to the sandbox server",
  (id) => expect(guestPlaceOf(id)).toBeUndefined(),
);

test("a guest's token is derived from the secret and the id alone", async () => {
  const token = await guestToken("one secret", "docker--a");
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await guestToken("one secret", "docker--a")).toBe(token);
  expect(await guestToken("one secret", "docker--b")).not.toBe(token);
  expect(await guestToken("another secret", "docker--a")).not.toBe(token);
});

test("guests of one secret carry a mark that does not reveal it", async () => {
  expect(await ownerOf("one secret")).toMatch(/^[a-z0-9]{12}$/);
  expect(await ownerOf("one secret")).not.toBe(await ownerOf("another secret"));
});

test("HANDRAIL_ENGINE names engines in order of preference", () => {
  expect(engineNamesIn(undefined)).toEqual(["here"]);
  expect(engineNamesIn("local")).toEqual(["here"]);
  expect(engineNamesIn("docker, here docker")).toEqual(["docker", "here"]);
  expect(() => engineNamesIn("dokcer")).toThrow(/docker/);
});
