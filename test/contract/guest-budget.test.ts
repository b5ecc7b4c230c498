// The daily budget of guests on each runtime, where a restart leaves nothing in memory.
// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { E2bHost } from "../fakes/engines/e2b-host.ts";
import { type Product, type Runtime, startProduct } from "../harness/product.ts";

let host: E2bHost;
let folder: string;
let product: Product | undefined;
beforeEach(async () => {
  [host, folder] = [
    await E2bHost.start({ hasServer: true }),
    await mkdtemp(join(tmpdir(), "handrail-budget-")),
  ];
});
afterEach(async () => {
  await product?.kill("SIGTERM");
  await host.close();
  await rm(folder, { recursive: true });
});

/** Starts the product again with the same state. The budget is so small that one guest uses it up at once. */
async function start(runtime: Runtime): Promise<Product> {
  await product?.kill("SIGTERM");
  const engine = { HANDRAIL_ENGINE: "e2b", HANDRAIL_GUEST_JAIL: "0", HANDRAIL_GUEST_BUDGET: "0.000001" };
  product = await startProduct({ runtime, env: { ...host.env, ...engine, HANDRAIL_STATE: folder } });
  return product;
}

async function newSession({ url, token }: Product) {
  const response = await fetch(`${url}/api/sandboxes`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ source: { sample: true }, key: crypto.randomUUID() }),
  });
  return { status: response.status, body: await response.json() };
}

test.each<Runtime>(["node", "deno", "workerd"])(
  "a budget that is used up stays so after a restart: %s",
  async (runtime) => {
    const first = await start(runtime);
    expect(await newSession(first)).toMatchObject({ status: 201 });
    const refused = { status: 429, body: { error: { details: { reason: "budget" } } } };
    expect(await newSession(first)).toMatchObject(refused);
    // From now on nothing costs anything.
    for (const [id] of host.sandboxes) await host.pause(id);
    expect(await newSession(await start(runtime))).toMatchObject(refused);
  },
);
