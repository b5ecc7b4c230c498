// `npm run bench -- small`: a scripted small model without native calls makes 20 edits, each with three
// malformed calls. It prints how many edits the model completes, and in how many rounds.
import { startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { startProduct } from "../harness/product.ts";
import { SmallMind, type SmallTask } from "./small-mind.ts";

const seeds = [1, 2, 3];

const gateway = "src/gateway.js";
const limiter = "src/limiter.js";
const answers = "src/answers.js";
const tasks: readonly SmallTask[] = (
  [
    [gateway, "const perIpLimit = 300;", "const perIpLimit = 100;"],
    [gateway, "const minuteMs = 60_000;", "const minuteMs = 30_000;"],
    [gateway, '["token-bob", "bob"],', '["token-bob", "robert"],'],
    [gateway, '["token-alice", "alice"],', '["token-alice", "alice"],\n  ["token-carol", "carol"],'],
    [gateway, "if (!token) return unauthorized();", "if (token === undefined) return unauthorized();"],
    [
      gateway,
      "const address = perIp.take(request.ip);",
      'const address = perIp.take(request.ip ?? "unknown");',
    ],
    [gateway, 'split(" ")', "split(/\\s+/)"],
    [limiter, "window.count += 1;", "window.count++;"],
    [limiter, "const time = now();", "const time = Math.floor(now());"],
    [limiter, "return { ok: true, retryAfterMs: 0 };", "return { ok: true };"],
    [limiter, "if (window.count >= limit) {", "if (window.count > limit - 1) {"],
    [limiter, "windows.set(key, window);", "windows.set(String(key), window);"],
    [answers, "return answer(200, value);", "return answer(200, { value });"],
    [answers, '"too many requests"', '"slow down"'],
    [answers, "return answer(401,", "return answer(403,"],
    [answers, '"a valid token is required"', '"a token is required"'],
    ["src/server.js", "?? 3000", "?? 8080"],
    ["src/server.js", '"gateway on port "', '"listening on "'],
    ["package.json", '"version": "1.0.0"', '"version": "1.1.0"'],
    ["README.md", "300 requests a minute", "100 requests a minute"],
  ] as const
).map(([path, old, now]) => ({ path, old, new: now }));

export async function run(): Promise<void> {
  const model = await startModelServer([{ text: "nothing scripted" }]);
  const env = {
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: "sk-x",
    HANDRAIL_MODEL: "small:7b",
    HANDRAIL_RATE_LIMIT: "0",
  };
  const product = await startProduct({ env });
  try {
    for (const seed of seeds) {
      const random = seeded(seed);
      let solved = 0;
      let rounds = 0;
      const unsolved: string[] = [];
      for (const task of tasks) {
        const mind = new SmallMind(task, random);
        model.play((body) => ({ text: mind.answer(body), deltaChars: 20 }));
        const done = await attempt(product, task);
        rounds += done.rounds;
        if (done.solved) solved += 1;
        else unsolved.push(`${task.path}: ${mind.kinds.join(", ")} (${done.end})`);
      }
      console.log(
        `  seed ${seed}: ${solved} of ${tasks.length} solved, ${(rounds / tasks.length).toFixed(1)} rounds a task`,
      );
      for (const line of unsolved) console.log(`    not solved: ${line}`);
    }
  } finally {
    await product.close();
    await model.close();
  }
}

async function attempt(
  product: { url: string; token: string },
  task: SmallTask,
): Promise<{ solved: boolean; rounds: number; end: string }> {
  const headers = { authorization: `Bearer ${product.token}`, "content-type": "application/json" };
  const made = await fetch(`${product.url}/api/sandboxes`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ source: { sample: true } }),
  });
  const { sandboxId } = (await made.json()) as { sandboxId: string };
  const talk = new Conversation(product, sandboxId, "auto");
  talk.options = { toolProtocol: "text" };
  const events = await talk.say(`In ${task.path}, replace ${task.old} by ${task.new}`);
  const path = `/api/sandboxes/${sandboxId}/file?path=${encodeURIComponent(task.path)}`;
  const text = await (await fetch(product.url + path, { headers })).text();
  const last = events.at(-1);
  return {
    solved:
      last?.event === "turn.done" &&
      text.includes(task.new) &&
      !(text.includes(task.old) && !task.new.includes(task.old)),
    rounds: talk.messages.filter(({ role }) => role === "assistant").length,
    end: last?.event === "turn.done" ? dataOf(events, "turn.done").reason : (last?.event ?? "nothing"),
  };
}

/** https://en.wikipedia.org/wiki/Linear_congruential_generator, with the constants of Numerical Recipes. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
