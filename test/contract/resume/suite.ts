// The behaviour of an interrupted turn, as the same suite on every runtime. It uses two edges in separate
// processes, one sandbox server or guests of an engine behind a wire that the tests can watch and silence,
// and a scripted model behind a real socket.
import { afterAll, beforeAll, describe } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import type { Mode } from "../../../shared/mode.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import { Conversation } from "../../harness/conversation.ts";
import type { GuestEngine } from "../../harness/engine-stage.ts";
import type { Product, Runtime } from "../../harness/product.ts";
import { removeFolders } from "../../sandbox/running-server.ts";
import { ask, post } from "../http/request.ts";
import { describeAttempts } from "./attempts.ts";
import { describeBudgets } from "./budgets.ts";
import { describeCallStates } from "./call-states.ts";
import { describeCuts } from "./cuts.ts";
import { describeEarlierVersion } from "./earlier-version.ts";
import { describeExploring } from "./exploring.ts";
import { openGuests } from "./guest-places.ts";
import { describeHookRuns } from "./hooks.ts";
import { describeKeptRequest } from "./kept-request.ts";
import { describeLeaving } from "./leaving.ts";
import { describeMcpCalls, describeMcpProgramCalls } from "./mcp.ts";
import { describeOnce } from "./once.ts";
import { openServer, type Place } from "./places.ts";
import { describePlanFiles } from "./plan-file.ts";
import { describePresence } from "./presence.ts";
import { describeResuming } from "./resuming.ts";
import { describeSameHistory } from "./same-history.ts";
import { describeSecondOpinions } from "./second-opinion.ts";
import { describeSilence } from "./silence.ts";
import type { ResumeStage } from "./stage.ts";
import { describeSteering } from "./steering.ts";
import { describeStoppedRollback } from "./stopped-rollback.ts";
import { describeStopping } from "./stopping.ts";

/** Areas that depend on when a runtime drops a request, and on what its host allows. */
const everywhere: readonly ((stage: ResumeStage) => void)[] = [
  describeResuming,
  describeOnce,
  describeLeaving,
];

/** Hosts limit the number of requests. In `npm test` this runs only on workerd. */
const onWorkerd: readonly ((stage: ResumeStage) => void)[] = [describeBudgets];

/** Areas that `npm test` runs only on Node. */
const onNode: readonly ((stage: ResumeStage) => void)[] = [
  describeStopping,
  describeExploring,
  describeMcpCalls,
  describeMcpProgramCalls,
];

/**
 * Areas that `test:all` runs on every runtime, in addition to those of the two lists above that `npm test`
 * leaves out there.
 */
const inFull: readonly ((stage: ResumeStage) => void)[] = [
  describeCallStates,
  describeSteering,
  describeHookRuns,
  describeSecondOpinions,
  describePlanFiles,
  describeCuts,
  describePresence,
  describeKeptRequest,
  describeAttempts,
  describeEarlierVersion,
  describeSameHistory,
  describeStoppedRollback,
  describeSilence,
];

/** Areas that `test:all` runs in guests of an engine. The others, and Deno, run in `test:length`. */
const onEngines: readonly ((stage: ResumeStage) => void)[] = [describeOnce, describeLeaving];

/** When new guests are made, the oldest guests above this number are removed. */
const guestsAtOnce = 8;

function extentOf(engine: GuestEngine): string {
  return engine === "docker" ? "length" : "long";
}

/**
 * `engine`: each sandbox is a guest of it, and the whole suite is `long`, or `length` in real containers,
 * where it takes minutes.
 */
export function describeResume(runtime: Runtime, engine?: GuestEngine): void {
  const name = `interrupted turns on ${runtime}${engine ? ` in guests of ${engine}` : ""}`;
  describe(name, { tags: engine ? extentOf(engine) : [] }, () => {
    let model: ModelServer | undefined;
    let place: Place | undefined;
    let products: Product[] = [];
    let start: (() => Promise<Product>) | undefined;
    beforeAll(async () => {
      model = await startModelServer([{ text: "nothing scripted" }]);
      const opened = await (engine ? openGuests(engine) : openServer());
      place = opened;
      const env = {
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: "test-key",
        HANDRAIL_MODEL: "scripted",
        HANDRAIL_RATE_LIMIT: "0",
        // In these tests the model's window must not end a turn.
        HANDRAIL_CONTEXT_WINDOW: "4000000",
        ...opened.env,
        // These tests are about the client, so no edge continues a turn without one.
        HANDRAIL_UNATTENDED_MINUTES: "0",
      };
      // The two start one after the other, because both build what is missing.
      start = () => opened.start({ runtime, env });
      products = [await start(), await start()];
    }, 900_000);
    afterAll(async () => {
      for (const product of products) await product.close();
      await place?.close();
      await model?.close();
      await removeFolders();
    });
    const opened: string[] = [];
    const openSandbox = async (mode: Mode = "normal") => {
      const { json } = await ask(stage.product(), "/api/sandboxes", post({ source: { sample: true } }));
      const { sandboxId } = SandboxAnswer.parse(json);
      const before = engine && opened.push(sandboxId) > guestsAtOnce ? opened.shift() : undefined;
      if (before) await ask(stage.product(), `/api/sandboxes/${before}`, { method: "DELETE" });
      return new Conversation(stage.product(), sandboxId, mode);
    };
    const keysOf = async (type: string, { sandboxId, turnId }: { sandboxId: string; turnId: string }) => {
      const path = `/v1/sandboxes/${sandboxId}/turns/${turnId}?from=0&waitMs=0`;
      const journal = await (await stage.ask(sandboxId, path)).text();
      return [...journal.matchAll(new RegExp(`"type":"${type}","key":"([^"]+)"`, "g"))].map(
        ([, key = ""]) => key,
      );
    };
    const stage: ResumeStage = {
      runtime,
      product: () => given(products[0]),
      other: () => given(products[1]),
      another: () => given(start)(),
      wire: () => given(place).wire,
      model: () => given(model),
      open(script, mode = "normal") {
        given(model).play(script);
        return openSandbox(mode);
      },
      openSandbox,
      async file({ sandboxId }, path) {
        const at = `/api/sandboxes/${sandboxId}/file?path=${encodeURIComponent(path)}`;
        const { status, text } = await ask(stage.product(), at);
        return status === 200 ? text : undefined;
      },
      results: (turn) => keysOf("result", turn),
      begun: (turn) => keysOf("started", turn),
      ask: (...request) => given(place).ask(...request),
      go: (sandboxId) => given(place).touch(sandboxId, `sandboxes/${sandboxId}/workspace/go`),
    };
    const first = engine ? onEngines : everywhere;
    const ofRuntime = runtime === "workerd" ? onWorkerd : runtime === "node" ? onNode : [];
    const sampled = new Set([...first, ...(engine ? [] : ofRuntime)]);
    for (const area of sampled) area(stage);
    describe("in full", { tags: engine || runtime === "deno" ? "length" : "long" }, () => {
      for (const area of [...everywhere, ...onWorkerd, ...onNode, ...inFull])
        if (!sampled.has(area)) area(stage);
    });
  });
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the product is not running");
  return value;
}
