// The planning half of the demo's script: look, draft, ask one question, update, propose, and again after feedback.
import { type DemoConversation, lastDone, type Reply, reply } from "./conversation.ts";
import {
  type DemoChoice,
  draft,
  known,
  patchArgs,
  plannedWindow,
  question,
  summaryOf,
  unknown,
} from "./draft.ts";
import { couldNot, notTheSample, whatItIs } from "./explain.ts";
import { has, readView } from "./file-view.ts";
import { defaultWindow, exactWindow, namedWindow } from "./limit-windows.ts";

const task = /limit|token|429|retry|fix|fail|test|plan|burst/i;

export function planNext(whole: DemoConversation): Reply {
  const conversation = sinceFinish(whole);
  const last = conversation.said.at(-1);
  const drafted = lastDone(conversation, "set_plan");
  if (drafted === undefined) {
    if (last === undefined || !task.test(last.text)) return reply(whatItIs);
    return look(conversation) ?? propose(conversation);
  }
  const asked = conversation.calls.findLast((call) => call.name === "ask_user" && call.at > drafted.at);
  if (asked?.result?.startsWith("error")) return reply(couldNot("Asking you", asked.result));
  const feedback = last !== undefined && last.at > (asked?.at ?? drafted.at) ? last : undefined;
  if (feedback !== undefined) {
    const named = namedWindow(feedback.text);
    const window = named ?? plannedWindow(conversation) ?? defaultWindow;
    const words = quoted(feedback.text);
    return named === undefined
      ? patch(conversation, feedback.at, unknown(words, window, `your feedback "${words}"`))
      : patch(conversation, feedback.at, {
          window,
          saying: `${window.label}, as your feedback names it.`,
          remark: ` (you said: ${words})`,
        });
  }
  if (asked !== undefined) {
    const answer = (asked.result ?? "").replace(`${question.label}: `, "");
    const chosen = exactWindow(answer);
    if (chosen !== undefined) return patch(conversation, asked.at, known(chosen, "as you chose"));
    const words = quoted(answer);
    const nearest = namedWindow(answer) ?? defaultWindow;
    return patch(conversation, asked.at, unknown(words, nearest, `your answer "${words}"`));
  }
  // If the person already named the window in the task, no question is asked.
  const named = namedWindow(last?.text ?? "");
  return named === undefined ? ask() : patch(conversation, drafted.at, known(named, "as you said"));
}

/** The part of the conversation after the last finished plan. */
function sinceFinish(whole: DemoConversation): DemoConversation {
  const finished = whole.calls.findLast(
    (call) => call.name === "update_plan" && call.result?.includes("All steps are finished"),
  );
  const behind = ({ at }: { at: number }) => at > (finished?.at ?? -1);
  return { ...whole, calls: whole.calls.filter(behind), said: whole.said.filter(behind) };
}

/** The next file to look at, or undefined after the last one. */
function look(conversation: DemoConversation): Reply | undefined {
  const tried = (name: string, path?: string) =>
    conversation.calls.findLast(
      (call) => call.name === name && (path === undefined || call.args.path === path),
    );
  if (tried("read_file", "src/gateway.js") === undefined) {
    return reply(
      "I look at how the gateway limits requests today.",
      { name: "list_files", args: { depth: 2 } },
      { name: "read_file", args: { path: "src/gateway.js" } },
      { name: "read_file", args: { path: "src/limiter.js" } },
    );
  }
  const view = readView(tried("read_file", "src/gateway.js"));
  if (view === undefined || !(has(view, "perIpLimit") || has(view, "perTokenLimit")))
    return reply(notTheSample);
  if (has(view, "perToken.take")) {
    return reply(
      "Each token is limited already in `src/gateway.js`, so there is nothing left that my script could plan. I am a scripted demo, not a model.",
    );
  }
  if (tried("search_files") === undefined) {
    return reply(
      "",
      { name: "search_files", args: { pattern: "tooManyRequests" } },
      { name: "read_file", args: { path: "test/gateway.test.js" } },
    );
  }
  return undefined;
}

function propose(conversation: DemoConversation): Reply {
  const refused = conversation.calls.findLast((call) => call.name === "set_plan" && call.failed);
  if (refused !== undefined) return reply(couldNot("Installing the plan", refused.result ?? ""));
  const args = { ...draft, decisionPoints: [question] };
  const tests = readView(lastDone(conversation, "read_file", -1, "test/gateway.test.js"));
  const wanted =
    tests !== undefined && has(tests, "limits each token")
      ? ", and a test already asks for one for tokens"
      : "";
  return reply(`There is a limit for addresses only${wanted}. Four steps; the last one documents it.`, {
    name: "set_plan",
    args,
  });
}

function ask(): Reply {
  return reply("One thing is yours to decide.", {
    name: "ask_user",
    args: {
      summary: "The limit for tokens needs a way to count. It decides how bursts are treated.",
      questions: [question],
    },
  });
}

/** The person's text, shortened to one line. */
function quoted(text: string): string {
  return text.trim().replace(/\s+/g, " ").slice(0, 160);
}

/** Updates the plan and then submits it, each once after message `since`. */
function patch({ calls }: DemoConversation, since: number, choice: DemoChoice): Reply {
  const { window, saying } = choice;
  const newest = (name: string) => calls.findLast((call) => call.name === name && call.at > since);
  const patched = newest("update_plan");
  if (patched === undefined) return reply(saying, { name: "update_plan", args: patchArgs(choice) });
  if (patched.failed) return reply(couldNot("Changing the plan", patched.result ?? ""));
  const submitted = newest("exit_plan");
  if (submitted === undefined) {
    return reply("", {
      name: "exit_plan",
      args: { summary: summaryOf(window) },
    });
  }
  if (submitted.failed) return reply(couldNot("Submitting the plan", submitted.result ?? ""));
  return reply("The plan is submitted. Approve it, or say what should be different.");
}
