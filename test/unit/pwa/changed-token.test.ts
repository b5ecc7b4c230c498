// Answers that arrive after this device's token was replaced.
import { expect, test } from "vitest";
import { createApi } from "../../../pwa/api/client.ts";
import { gate } from "../../harness/gate.ts";

const refusal = () =>
  Response.json({ error: { code: "unauthorized", message: "This device is not paired." } }, { status: 401 });

test("a refusal of the token that was replaced meanwhile does not unpair the device, one of its own does", async () => {
  const answered = gate();
  let token = "before";
  let unpaired = 0;
  const api = createApi({
    fetch: async () => {
      await answered.passed;
      return refusal();
    },
    token: () => token,
    onUnauthorized: () => {
      unpaired += 1;
    },
  });
  const late = api.config();
  token = "after";
  answered.open();
  await expect(late).rejects.toThrow("not paired");
  expect(unpaired).toBe(0);
  await expect(api.config()).rejects.toThrow("not paired");
  expect(unpaired).toBe(1);
});
