// Prepared turns for the fake edge, with realistic content: a plan with questions, its approval and its
// execution.
import type { Plan, Step } from "../../shared/plan/plan-file.ts";
import type { TurnBody } from "../../shared/session/turn-request.ts";
import type { Played } from "./fake-edge.ts";
import { assistant, call, message, messagesMade, pass, result, started } from "./scene-messages.ts";

function step(id: string, description: string, command: string): Step {
  return {
    id,
    description,
    actions: [],
    preconditions: [],
    postconditions: [],
    checkpoint: { command },
    onFail: "ask",
    status: "pending",
  };
}

export const steps: Step[] = [
  step("s1", "Add `TokenLimiter` with a sliding window", "npm test limiter"),
  step("s2", "Use it in `gateway/auth.ts` after the token is known", "npm test auth"),
  step("s3", "Answer 429 with Retry-After and the limit that was met", "npm test http"),
  step("s4", "Document both limits in the README", "npm run docs"),
];

export function plan(version: number, status: Plan["status"] = "draft", planSteps = steps): Plan {
  const markdown = `# Goal\nLimit per token beside the per-IP limit\n\n# Plan\n${planSteps.map((each, at) => `${at + 1}. [${each.id}] ${each.description}\n   - check: ${each.checkpoint?.command}`).join("\n")}\n`;
  return {
    version,
    supersedes: version === 1 ? null : version - 1,
    source: "model",
    hash: `hash${version}`.padEnd(64, "0"),
    status,
    round: 1,
    markdown,
    goal: "Limit per token beside the per-IP limit",
    steps: planSteps,
    decisionPoints: [],
    checkpoints: [{ command: "npm test" }],
    rollback: ["Remove `gateway/token-limiter.ts` and its use in `auth.ts`."],
    decisions: [],
    deltas: [],
  };
}

const questions = [
  {
    id: "window",
    label: "Window",
    prompt: "Which window should the limit use?",
    type: "single_select" as const,
    options: [
      { label: "Sliding window", description: "Smooth, two counters per token" },
      { label: "Fixed minute", description: "Simplest, allows double bursts" },
      { label: "Token bucket", description: "Allows short bursts by design" },
    ],
  },
  {
    id: "status",
    label: "Status",
    prompt: "Which status tells a client to wait?",
    type: "single_select" as const,
    options: [{ label: "429", description: "With Retry-After" }, { label: "503" }],
  },
];

/** The model reads the repository, drafts a plan and asks two questions. */
export function* planning(body: TurnBody): Iterable<Played> {
  const text = body.input.type === "message" ? body.input.text : "Plan";
  yield started(body);
  yield message("user", { content: text, mode: "plan" });
  const reads = [
    "gateway/auth.ts",
    "gateway/server.ts",
    "gateway/limit.ts",
    "test/auth.test.ts",
    "package.json",
    "README.md",
  ].map((path, at) => call(`r${messagesMade()}.${at}`, "read_file", { path }));
  const searches = ["rateLimit", "token"].map((pattern, at) =>
    call(`q${messagesMade()}.${at}`, "search_files", { pattern }),
  );
  yield assistant("plan", "", [...reads, ...searches]);
  pass(12_000);
  for (const each of [...reads, ...searches])
    yield result("plan", each, "[gateway/auth.ts @v1 lines 1-2 of 2]\n1abc|export const a = 1;\n2def|");
  const set = call(`set${messagesMade()}`, "set_plan", { goal: "Limit per token" });
  yield assistant(
    "plan",
    "The limiter counts per IP in `gateway/limit.ts`; the token is known only after `verify()`.",
    [set],
  );
  const drafted = plan(1);
  yield { event: "plan", data: { plan: drafted } };
  yield message("plan", { content: "", mode: "plan", extra: { plan: drafted } });
  yield result("plan", set, "Plan version 1 installed.");
  const ask = call(`ask${messagesMade()}`, "ask_user", { questions });
  yield assistant("plan", "", [ask]);
  yield {
    event: "questions",
    data: { toolCallId: ask.id, round: 1, summary: "Two things change what is stored per token.", questions },
  };
  yield { event: "turn.done", data: { reason: "questions", rounds: 3 } };
}

/** The turn of the answers: ledger, second version, proposal. */
export function* answering(body: TurnBody): Iterable<Played> {
  const toolCallId = body.input.type === "answers" ? body.input.toolCallId : "";
  yield started(body);
  yield result("plan", { id: toolCallId, name: "ask_user", arguments: "" }, "1. sliding window");
  const exit = call(`exit${messagesMade()}`, "exit_plan", {});
  yield assistant("plan", "", [exit]);
  const patched = plan(2);
  yield { event: "plan", data: { plan: patched } };
  yield message("plan", { content: "", mode: "plan", extra: { plan: patched } });
  yield {
    event: "ledger",
    data: {
      decisions: [
        { id: "window", label: "Window", answer: "Sliding window" },
        { id: "status", label: "Status", answer: "429" },
      ],
      updates: ["Step 3 changed: answers 429"],
      text: "",
    },
  };
  yield result("plan", exit, "Plan submitted for review.");
  yield { event: "proposal", data: { planVersion: 2, planHash: patched.hash } };
  yield { event: "turn.done", data: { reason: "proposed", rounds: 1 } };
}

const diffOfAuth = `--- a/gateway/auth.ts
+++ b/gateway/auth.ts
@@ -41,4 +41,6 @@
   const token = await verify(req)
   if (!token) return unauthorized()
-  return next(req)
+  const gate = await limiter.take(token.id, Date.now())
+  if (!gate.ok) return tooMany(gate)
+  return next(req, token)
 }
`;

/** The model runs the first step, begins the second one, and waits in its check until `more` resolves. */
export function* executing(body: TurnBody, more: Promise<unknown> = Promise.resolve()): Iterable<Played> {
  yield started(body);
  yield { event: "mode", data: { from: "plan", to: "normal", reason: "approved" } };
  yield message("user", { content: "Approved. Go ahead.", mode: "normal" });
  yield { event: "plan", data: { plan: { ...plan(2), status: "executing" } } };
  yield { event: "step", data: { stepId: "s1", status: "active", snapshot: "snap1" } };
  const write = call(`w${messagesMade()}`, "write_file", { path: "gateway/token-limiter.ts", content: "…" });
  yield assistant("normal", "", [write]);
  yield result("normal", write, "[gateway/token-limiter.ts @v1] +62 -0", {
    files: [
      {
        path: "gateway/token-limiter.ts",
        added: 62,
        removed: 0,
        diff: "--- /dev/null\n+++ b/gateway/token-limiter.ts\n@@ -0,0 +1,2 @@\n+/** Sliding window of 60 s per token. */\n+export class TokenLimiter {}\n",
      },
    ],
  });
  pass(3_100);
  yield { event: "step", data: { stepId: "s1", status: "done", note: "8 tests pass" } };
  yield { event: "step", data: { stepId: "s2", status: "active", snapshot: "snap2" } };
  const edit = call(`e${messagesMade()}`, "edit_file", { path: "gateway/auth.ts", edits: [] });
  yield assistant(
    "normal",
    "The token is known only after `verify()`, so the limiter goes directly behind it.",
    [edit],
  );
  yield result("normal", edit, "[gateway/auth.ts @v2] +3 -1", {
    files: [{ path: "gateway/auth.ts", added: 3, removed: 1, diff: diffOfAuth }],
  });
  const test = call(`t${messagesMade()}`, "run_command", { command: "npm test auth" });
  yield assistant("normal", "", [test]);
  const lines =
    "✓ rejects a missing token (4 ms)\n✓ accepts a valid token (9 ms)\n◌ limits after 100 requests\n";
  yield { event: "tool.started", data: { toolCallId: test.id, at: Date.now() } };
  yield { event: "tool.output", data: { toolCallId: test.id, stream: "stdout", offset: 0, text: lines } };
  yield { event: "context", data: { tokens: 41_000, budget: 100_000, trimmed: 0 } };
  yield more;
  yield result("normal", test, `exit 0\n${lines}`, { exitCode: 0, timedOut: false, ms: 12_400 });
  yield { event: "step", data: { stepId: "s2", status: "done", note: "The limiter runs after verify()" } };
  for (const id of ["s3", "s4"]) {
    yield { event: "step", data: { stepId: id, status: "active" } };
    yield { event: "step", data: { stepId: id, status: "done", note: "Done as planned" } };
  }
  yield message("event", {
    content:
      "All 4 steps are done and checked. 2 files changed: `gateway/token-limiter.ts`, `gateway/auth.ts`.",
    mode: "normal",
    extra: { event: { subkind: "verifier_report", source: "engine", data: { kind: "finish" } } },
  });
  yield assistant(
    "normal",
    "Both limits hold now.\n\n- per IP as before\n- per token: **100 a minute**, sliding\n\n```ts\nconst gate = await limiter.take(token.id);\n```\n\nSee [the README](https://example.org/readme).",
  );
  yield { event: "turn.done", data: { reason: "stop", rounds: 6 } };
}

export const wholeDiff = `diff --git a/gateway/auth.ts b/gateway/auth.ts
index 1111111..2222222 100644
${diffOfAuth}diff --git a/gateway/token-limiter.ts b/gateway/token-limiter.ts
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/gateway/token-limiter.ts
@@ -0,0 +1,5 @@
+/** Sliding window of 60 s per token.
+ *  Two counters, no timers. */
+export class TokenLimiter {
+  constructor(
+    private readonly perMinute: number,
`;

/** Repeats the person's words, in a turn of one round. */
export function* answer(body: TurnBody, ...middle: Played[]): Iterable<Played> {
  const { input, mode } = body;
  const text = input.type === "message" ? input.text : "";
  const files = input.type === "message" && input.attachments ? { attachments: input.attachments } : {};
  yield started(body);
  yield message("user", { content: text, mode, ...files });
  yield* middle;
  yield assistant(mode, `Heard: ${text}`);
  yield { event: "turn.done", data: { reason: "stop", rounds: 1 } };
}
