// The script's plan: its draft, its question, and how the chosen window changes it. Also tells whether a plan is this
// one.
import { type DemoConversation, lastDone } from "./conversation.ts";
import { type LimitWindow, limitWindows, madeWindow } from "./limit-windows.ts";

/** The plan before the question is answered. The working half finds its steps by their ids. */
export const draft = {
  goal: "Limit each token to 100 requests a minute\nThe limit per IP address stays as it is and comes first, so that a flood of made-up tokens from one place is refused before any of them is verified.",
  steps: [
    {
      id: "s1",
      description: "Add a limiter for tokens to `src/limiter.js`",
      actions: [
        "its `take(key)` says whether a request passes and, where it does not, after how many milliseconds the next one does",
      ],
      checkpoint: { command: "node --test test/limiter.test.js" },
    },
    {
      id: "s2",
      description: "Use it in `src/gateway.js` after the token is known",
      actions: [
        "take from the limiter only after `verify()` has accepted the token, so that nobody uses up another one's window with tokens that they made up",
      ],
      preconditions: ["the per-IP limit stays first"],
      checkpoint: {
        command:
          "node --check src/gateway.js && node --check src/limiter.js && node --test test/limiter.test.js",
      },
    },
    {
      id: "s3",
      description: "Answer 429 with Retry-After in `src/answers.js`",
      actions: [
        "count whole seconds, rounded up, and at least one: clients that wait less are refused again",
      ],
      postconditions: ["Retry-After tells the truth: after that time the next request passes"],
      checkpoint: { command: "node --test test/gateway.test.js" },
    },
    {
      id: "s4",
      description: "Document both limits in `README.md`",
      actions: ["a row of the table for each limit, and a sentence on what a client reads from Retry-After"],
      checkpoint: { command: "npm test" },
    },
  ],
  rollback: ["Undo to step 1: each step starts with a snapshot"],
};

export const question = {
  id: "window",
  label: "Window",
  prompt: "Which window should the limit use?",
  type: "single_select",
  options: limitWindows.map(({ label, description }) => ({ label, description })),
};

export interface DemoChoice {
  window: LimitWindow;
  saying: string;
  /** Follows the step that uses the window. */
  remark: string;
}

export function known(window: LimitWindow, why: string): DemoChoice {
  return { window, saying: `${window.label}, ${why}.`, remark: "" };
}

export function unknown(words: string, window: LimitWindow, what: string): DemoChoice {
  return {
    window,
    saying: `My script does not know "${words}": it has its three options only. It takes ${window.label} instead.`,
    remark: ` (${what} is not in the demo's script)`,
  };
}

/** Arguments of the `update_plan` call that puts the choice into the plan. */
export function patchArgs({ window, remark }: DemoChoice): Record<string, unknown> {
  const { code, maker, description } = window;
  const first =
    code.length === 0
      ? `Keep \`src/limiter.js\` as it is: ${maker} serves tokens too`
      : `Add ${maker} to \`src/limiter.js\``;
  const use = `Use ${maker} in \`src/gateway.js\` after the token is known${remark}`;
  return {
    note: description,
    steps: [
      { id: "s1", description: first },
      { id: "s2", description: use },
    ],
  };
}

/** Submitted with the plan, so that the plan can later be recognised as the script's own. */
export function summaryOf({ maker }: LimitWindow): string {
  return `Limit each token with ${maker}, checked by the tests.`;
}

/**
 * Whether the last submitted plan is the script's own. It is recognised by its summary, because the text of `set_plan`
 * may no longer be in the history.
 */
export function isOwnPlan(conversation: DemoConversation): boolean {
  const summary = lastDone(conversation, "exit_plan")?.args.summary;
  return limitWindows.some((window) => summaryOf(window) === summary);
}

/** The window that the script's plan names after all updates. */
export function plannedWindow({ calls }: DemoConversation): LimitWindow | undefined {
  const updates = calls.filter((call) => call.name === "update_plan" && !call.failed);
  return updates
    .map((call) => madeWindow(JSON.stringify(call.args)))
    .findLast((window) => window !== undefined);
}
