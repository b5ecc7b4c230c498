// A sandbox server that does not answer, and a client that disconnects at the same moment.
import { expect, test } from "vitest";
import { createSandboxClient } from "../../../functions/sandbox/client.ts";

const sandboxWhoseRequestsFail = (failure: Error) =>
  createSandboxClient({
    fetch: () => Promise.reject(failure),
    baseUrl: "http://sandbox.test",
    token: "x",
  });

test("a failed connection is reported as such, even after the client has left", async () => {
  const sandbox = sandboxWhoseRequestsFail(new TypeError("fetch failed"));
  await expect(sandbox.journal("s", "t", 0, 0, AbortSignal.abort()).next()).rejects.toMatchObject({
    code: "sandbox_unreachable",
  });
});

test("an abandoned request is not a failure of the sandbox server", async () => {
  const gone = AbortSignal.abort();
  const sandbox = sandboxWhoseRequestsFail(gone.reason);
  await expect(sandbox.journal("s", "t", 0, 0, gone).next()).rejects.toBe(gone.reason);
});
