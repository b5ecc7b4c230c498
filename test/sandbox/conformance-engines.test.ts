// Runs the conformance suite in a guest of each engine: a real `docker`, fakes of the others, or the hosts
// that the environment names (test/harness/engine-stage.ts).
// @module-tag long
import { describe } from "vitest";
import {
  clientOf,
  describeEngines,
  type EngineSite,
  type GuestEngine,
  newSpec,
  openEngine,
  openSite,
} from "../harness/engine-stage.ts";
import { describeLocalCloudflare } from "../harness/local-cloudflare.ts";
import { describeArchives } from "./conformance/archive.ts";
import { describeCalls } from "./conformance/calls.ts";
import { describeFiles } from "./conformance/files.ts";
import { describeKeys } from "./conformance/idempotency.ts";
import { describeLooks } from "./conformance/look.ts";
import { describeSnapshots } from "./conformance/snapshots.ts";
import { describeStops } from "./conformance/stop.ts";
import { describeTarget } from "./conformance/target.ts";
import { describeTurns } from "./conformance/turns.ts";

async function guestTarget(name: GuestEngine, open: () => Promise<EngineSite>) {
  const site = await open();
  const engine = await openEngine(name, site);
  const { guest, endpoint } = await engine.create(newSpec()).catch(async (error: unknown) => {
    await site.close();
    throw error;
  });
  const stop = async () => {
    await engine.remove(guest);
    await site.close();
  };
  return { client: clientOf(endpoint), stop };
}

const files = [describeArchives, describeFiles, describeLooks, describeSnapshots];
const work = [describeCalls, describeKeys, describeStops, describeTurns];

function describeGuest(name: GuestEngine, open = () => openSite(name), title = ""): void {
  describe(`PROTOCOL 4 in a guest of ${name}${title}`, () => {
    describeTarget(() => guestTarget(name, open), ...work);
    // Guests run the same server that the other conformance files test.
    describe("files", { tags: "length" }, () => describeTarget(() => guestTarget(name, open), ...files));
  });
}

describeEngines((name) => describeGuest(name));
describeLocalCloudflare((open) => describeGuest("cloudflare", open, " in Docker"));
