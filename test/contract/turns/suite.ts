// Turns over HTTP against the whole product on one runtime, with a scripted model behind a real socket.
import { afterAll, beforeAll, describe } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import { Conversation } from "../../harness/conversation.ts";
import { type Product, type Runtime, startProduct } from "../../harness/product.ts";
import { ask, post } from "../http/request.ts";
import { describeAnswerAndRun } from "./answer-and-run.ts";
import { describeApproval } from "./approval.ts";
import { describeAuthority } from "./authority.ts";
import { describeBackground } from "./background.ts";
import { describeBaseline } from "./baseline.ts";
import { describeCheckpoints } from "./checkpoints.ts";
import { describeCommands } from "./commands.ts";
import { describeContext } from "./context.ts";
import { describeDeliver } from "./deliver.ts";
import { describeEnterPlan } from "./enter-plan.ts";
import { describeExchangedChecks } from "./exchanged-checks.ts";
import { describeExecution } from "./execution.ts";
import { describeExplore } from "./explore.ts";
import { describeHooks } from "./hooks.ts";
import { describeHostile } from "./hostile.ts";
import { describeInterrupts } from "./interrupts.ts";
import { describeLongHistories } from "./long-histories.ts";
import { describeManyAtOnce } from "./many-at-once.ts";
import { describeMcp } from "./mcp.ts";
import { describeMcpHostile } from "./mcp-hostile.ts";
import { describeMcpLists } from "./mcp-lists.ts";
import { describeMcpPrograms } from "./mcp-programs.ts";
import { describeMcpSecrets } from "./mcp-secrets.ts";
import { describeMcpTwoPhones } from "./mcp-two-phones.ts";
import { describeModeTransition } from "./mode-transition.ts";
import { describeModels } from "./models.ts";
import { describeNetwork } from "./network.ts";
import { describeOpenPoints } from "./open-points.ts";
import { describePlanEndings } from "./plan-endings.ts";
import { describePlanOrder } from "./plan-order.ts";
import { describePlanTools } from "./plan-tools.ts";
import { describeQuestions } from "./questions.ts";
import { describeRail } from "./rail.ts";
import { describeRailChanges } from "./rail-changes.ts";
import { describeRailRules } from "./rail-rules.ts";
import { describeRecorded } from "./recorded.ts";
import { describeReplayed } from "./replayed.ts";
import { describeSameIds } from "./same-ids.ts";
import { describeSecrets, modelKey } from "./secrets.ts";
import type { Stage } from "./stage.ts";
import { describeStartFresh } from "./start-fresh.ts";
import { describeSubmissions } from "./submissions.ts";
import { describeSubmissionsAtWork } from "./submissions-at-work.ts";
import { describeSummaries } from "./summaries.ts";
import { describeTakePlan } from "./take-plan.ts";
import { describeTalking } from "./talking.ts";
import { describeThinking } from "./thinking.ts";
import { describeToolCalls } from "./tool-calls.ts";
import { describeTwoPhases } from "./two-phases.ts";
import { describeUnapproved } from "./unapproved.ts";
import { describeUnreadCalls } from "./unread-calls.ts";
import { describeWires, wiresProvider } from "./wires.ts";

/** The scripted model with a price: the 100 and 20 tokens of each answer cost 0.12 dollars. */
function pricedProvider(baseUrl: string): unknown {
  const price = { input: 1_000, cached: 100, output: 1_000 };
  const small = { contextWindow: 9_000, price };
  return {
    id: "priced",
    baseUrl,
    models: [
      { id: "scripted", contextWindow: 32_000, price },
      { id: "thinking", contextWindow: 32_000 },
      { id: "small", ...small },
      { id: "summing", ...small, summary: true },
    ],
  };
}

type Area = (stage: Stage) => void;

/** Areas that may differ between runtimes: streams, connections, many turns at once. */
const everywhere: readonly Area[] = [describeTalking, describeToolCalls, describeManyAtOnce];

/**
 * One whole plan, to its approval and through its steps. `npm test` runs both on Node, and one on each other
 * runtime.
 */
const wholePlan = { approved: describeTwoPhases, carriedOut: describeRail };
const inSample: Record<Runtime, readonly Area[]> = {
  node: [wholePlan.approved, wholePlan.carriedOut],
  workerd: [wholePlan.carriedOut],
  deno: [wholePlan.approved],
};

/**
 * Areas that `test:all` runs on the other runtimes. There, each group is a file of its own, so that they run
 * in parallel.
 */
const inFull = {
  models: [
    describeModels,
    describeUnreadCalls,
    describeThinking,
    describeWires,
    describeInterrupts,
    describeBackground,
    describeSecrets,
  ],
  plans: [
    describeQuestions,
    describeModeTransition,
    describePlanTools,
    describeCommands,
    describeHooks,
    describeMcp,
    describeMcpHostile,
    describeMcpLists,
    describeMcpPrograms,
    describeMcpSecrets,
    describeMcpTwoPhones,
    describeStartFresh,
    describeTakePlan,
    describeEnterPlan,
    describeExplore,
    describeApproval,
    describeUnapproved,
    describeAnswerAndRun,
    describeOpenPoints,
    describeRecorded,
    describePlanOrder,
  ],
  rail: [
    describeExecution,
    describeCheckpoints,
    describeBaseline,
    describeExchangedChecks,
    describePlanEndings,
    describeSameIds,
    describeRailRules,
    describeRailChanges,
  ],
} satisfies Record<string, readonly Area[]>;

/** Areas that `npm test` leaves to `test:all` even on Node. */
const leftToAll: ReadonlySet<Area> = new Set([
  describeModeTransition,
  describeCommands,
  describeMcpHostile,
  describeMcpLists,
  describeMcpSecrets,
  describeStartFresh,
  describeTakePlan,
  describeEnterPlan,
  describeExplore,
  describeWires,
  describeThinking,
  describeInterrupts,
  describeBackground,
  describeSecrets,
  describePlanTools,
  describeUnapproved,
  describeRecorded,
  describeAnswerAndRun,
  describeOpenPoints,
  describePlanOrder,
  describeBaseline,
  describeExchangedChecks,
  describePlanEndings,
  describeSameIds,
  describeRailChanges,
]);

/**
 * Groups by runtime: besides Node, `test:all` runs each group on one runtime, and `test:length` also on the
 * other.
 */
const besideNode: Record<Runtime, readonly (readonly Area[])[]> = {
  node: [],
  workerd: [inFull.plans],
  deno: [inFull.models, inFull.rail],
};

/**
 * Areas that take minutes of CPU time: matrices, forgeries, long histories. `test:all` runs them on Node, and
 * the first ones on the other runtimes; `test:length` runs them everywhere.
 */
const atLength: readonly Area[] = [
  describeSubmissions,
  describeSubmissionsAtWork,
  describeReplayed,
  describeHostile,
  describeAuthority,
  describeNetwork,
  describeDeliver,
  describeContext,
  describeSummaries,
  describeLongHistories,
];

const atLengthEverywhere = [describeNetwork, describeDeliver, describeSummaries];

export function describeTurns(runtime: Runtime): void {
  describeWith(runtime, `turns on ${runtime}`, (stage) => {
    for (const area of [...everywhere, ...inSample[runtime]]) area(stage);
    if (runtime === "node") return;
    describe("in full", { tags: "long" }, () => {
      for (const area of Object.values(wholePlan)) if (!inSample[runtime].includes(area)) area(stage);
      for (const area of besideNode[runtime].flat()) area(stage);
    });
    describe("at length", { tags: "length" }, () => {
      for (const group of Object.values(inFull))
        if (!besideNode[runtime].includes(group)) for (const area of group) area(stage);
    });
  });
}

export function describeTurnsInFull(group: keyof typeof inFull): void {
  describeWith("node", `turns on node, ${group}`, (stage) => {
    for (const area of inFull[group]) if (!leftToAll.has(area)) area(stage);
    describe("in full", { tags: "long" }, () => {
      for (const area of inFull[group]) if (leftToAll.has(area)) area(stage);
    });
  });
}

export function describeTurnsAtLength(runtime: Runtime): void {
  describeWith(runtime, `turns on ${runtime}, at length`, (stage) => {
    const first = runtime === "node" ? atLength : atLengthEverywhere;
    for (const area of first) area(stage);
    const others = atLength.filter((area) => !first.includes(area));
    // Vitest fails a suite without tests.
    if (others.length > 0)
      describe("at length", { tags: "length" }, () => {
        for (const area of others) area(stage);
      });
  });
}

/** Starts a separate product for `areas` on a runtime. */
function describeWith(runtime: Runtime, name: string, areas: Area): void {
  describe(name, () => {
    let product: Product | undefined;
    let model: ModelServer | undefined;
    beforeAll(async () => {
      model = await startModelServer([{ text: "nothing scripted" }]);
      product = await startProduct({
        runtime,
        env: {
          OPENAI_BASE_URL: model.url,
          OPENAI_API_KEY: modelKey,
          HANDRAIL_MODEL: "scripted",
          HANDRAIL_RATE_LIMIT: "0",
          HANDRAIL_PROVIDERS: JSON.stringify([pricedProvider(model.url), wiresProvider(model.url)]),
        },
      });
    });
    afterAll(async () => {
      await product?.close();
      await model?.close();
    });
    const stage: Stage = {
      runtime,
      product: () => given(product),
      model: () => given(model),
      async open(script, mode = "normal") {
        given(model).play(script);
        const { json } = await ask(given(product), "/api/sandboxes", post({ source: { sample: true } }));
        return new Conversation(given(product), SandboxAnswer.parse(json).sandboxId, mode);
      },
      async file(conversation, path) {
        const { status, text } = await ask(
          given(product),
          `/api/sandboxes/${conversation.sandboxId}/file?path=${encodeURIComponent(path)}`,
        );
        return status === 200 ? text : undefined;
      },
    };
    areas(stage);
  });
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the product is not running");
  return value;
}
