// `npm run bench -- planning`: how much of the main context the features "Start fresh" and "Explore" save. A
// scripted model plans four tasks and does them in the real product; a real tokenizer counts its requests. No
// data leaves this machine.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SandboxAnswer } from "../../shared/api.ts";
import { ask, post } from "../contract/http/request.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, type RequestBody, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { makeRecordedRepository } from "../harness/recorded-repository.ts";
import { CostProvider, priceLists, tokensOf } from "./cost-provider.ts";
import { type PlanningTask, planningTasks } from "./planning-tasks.ts";

const windowTokens = 200_000;
/** A report of the maximum length. */
const reportChars = 5_250;
/**
 * Each of Claude Haiku 4.5's prices is a third of Sonnet's.
 * https://docs.anthropic.com/en/docs/about-claude/pricing
 */
const cheapShare = 1 / 3;

const ways = [
  { name: "as ever", fresh: false, explores: false },
  { name: "Start fresh", fresh: true, explores: false },
  { name: "Explore", fresh: false, explores: true },
  { name: "both", fresh: true, explores: true },
] as const;
type Way = (typeof ways)[number];

interface Measured {
  /** Tokens of the main context's last request. */
  last: number;
  main: CostProvider;
  helper: CostProvider;
}

export async function run(): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "handrail-planning-")));
  const model = await startModelServer([{ text: "unused" }]);
  try {
    for (const task of planningTasks) {
      console.log(`\n${task.name}:`);
      for (const way of ways) {
        const folder = mkdtempSync(join(root, "ky-"));
        makeRecordedRepository(folder);
        const env = {
          ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
          ...{
            HANDRAIL_RATE_LIMIT: "0",
            HANDRAIL_WORKSPACE: folder,
            HANDRAIL_CONTEXT_WINDOW: `${windowTokens}`,
          },
        };
        const product = await startProduct({ env });
        try {
          print(way, await measure(product, model, task, { way, folder }));
        } finally {
          await product.close();
        }
      }
    }
  } finally {
    await model.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(
  product: Product,
  model: ModelServer,
  task: PlanningTask,
  { way, folder }: { way: Way; folder: string },
): Promise<Measured> {
  const measured: Measured = {
    last: 0,
    main: new CostProvider(windowTokens),
    helper: new CostProvider(windowTokens),
  };
  const report = readFileSync(join(folder, "readme.md"), "utf8").slice(0, reportChars);
  const reading: ModelReply[] = task.reads.map((calls) => ({ calls }));
  const helps: ModelReply[] = [...reading, { text: report }];
  const sends: ModelReply = { calls: [{ name: "explore", args: { task: task.asked } }] };
  const plan = { goal: task.asked, steps: task.steps };
  const says: ModelReply[] = [
    ...(way.explores ? [sends] : reading),
    { calls: [{ name: "set_plan", args: plan }] },
    { calls: [{ name: "exit_plan", args: {} }] },
    // The reads for the plan are no longer in the context, so files are read again before they are changed.
    ...(way.fresh || way.explores ? task.again.map((calls) => ({ calls })) : []),
    ...task.work.map((calls) => ({ calls })),
  ];
  model.play((body) => {
    const isHelper = String(body.messages[0]?.content).startsWith("You look around");
    const reply = (isHelper ? helps : says).shift() ?? { text: "That is all." };
    const written = tokensOf(JSON.stringify(reply.calls ?? reply.text));
    const counted = (isHelper ? measured.helper : measured.main).ask(sentOf(body), written);
    if (!isHelper) measured.last = counted ?? measured.last;
    return { ...reply, deltaChars: 100_000 };
  });
  const { json } = await ask(product, "/api/sandboxes", post({}));
  const talk = new Conversation(product, SandboxAnswer.parse(json).sandboxId, "plan");
  if (way.explores) talk.options = { explore: {} };
  await talk.say(task.asked);
  const { planVersion, planHash } = dataOf(talk.events, "proposal");
  await talk.turn({ type: "approve", planVersion, planHash, mode: "auto", fresh: way.fresh });
  if (says.length > 0)
    throw new Error(`${task.name}, ${way.name}: ${says.length} answers were not asked for`);
  return measured;
}

function sentOf({ tools, messages }: RequestBody): string[] {
  return [JSON.stringify(tools ?? []), ...messages.map((message) => JSON.stringify(message))];
}

function print({ name }: Way, { last, main, helper }: Measured): void {
  const [list] = priceLists;
  const price = (of: CostProvider) => of.account.dollars[list?.name ?? ""] ?? 0;
  const cheap = price(main) + price(helper) * cheapShare;
  const k = (tokens: number) => `${(tokens / 1_000).toFixed(1)}k`;
  console.log(
    [
      `  ${name.padEnd(12)} main context at the end ${k(last)}`,
      `main input ${k(main.account.inputTokens)} in ${main.account.requests} requests`,
      `helper input ${k(helper.account.inputTokens)}`,
      `${list?.name} $${(price(main) + price(helper)).toFixed(3)}`,
      `helper at a third of the price $${cheap.toFixed(3)}`,
    ].join(" · "),
  );
}
