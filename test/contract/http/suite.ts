// The HTTP suite: the same tests of PROTOCOL 1 and 3 for the whole product on each runtime.
import { afterAll, beforeAll, describe } from "vitest";
import { type RunningForge, startPlayedForge } from "../../fakes/forge/forge-server.ts";
import { type Product, type Runtime, startProduct } from "../../harness/product.ts";
import { describeAccess } from "./access.ts";
import { describeBodies } from "./bodies.ts";
import { describeCompression } from "./compression.ts";
import { describeDelivery } from "./delivery.ts";
import { describeForges } from "./forges.ts";
import { describePages } from "./pages.ts";
import { describeSandboxes } from "./sandboxes.ts";
import { describeServer } from "./server.ts";
import { describeSessions } from "./sessions.ts";
import { type GetTarget, listedOrigin } from "./target.ts";

type Area = (target: GetTarget) => void;

/**
 * Areas that each runtime implements differently. An area gets the running product and leaves nothing behind.
 */
const everywhere: readonly Area[] = [
  describeServer,
  describeAccess,
  describeBodies,
  describeCompression,
  describePages,
];

/**
 * Areas whose requests are passed on to the sandbox or a forge. Outside of Node they run only in `test:all`.
 */
const passedOn: readonly Area[] = [describeSandboxes, describeSessions];

/** These tests call no model, so nothing listens there. */
const provider = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", HANDRAIL_MODEL: "unused" };

export function describeHttp(runtime: Runtime): void {
  describe(`HTTP on ${runtime}`, () => {
    let product: Product | undefined;
    let running: RunningForge | undefined;
    beforeAll(async () => {
      running = await startPlayedForge();
      const forges = { HANDRAIL_FORGES: `github=${running.origin}` };
      product = await startProduct({
        runtime,
        env: { HANDRAIL_ORIGINS: listedOrigin, ...forges, ...provider },
      });
    });
    afterAll(async () => {
      await product?.close();
      await running?.close();
    });
    const target: GetTarget = () => {
      if (!product) throw new Error("the product is not running");
      return product;
    };
    for (const area of everywhere) area(target);
    describe("and what is passed on", runtime === "node" ? {} : { tags: "long" }, () => {
      for (const area of passedOn) area(target);
      describe("in full", { tags: "long" }, () => describeDelivery(target));
      describeForges(() => {
        if (!running) throw new Error("the forge is not running");
        return { ...target(), running };
      });
    });
  });
}
