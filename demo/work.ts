// The changes that the demo can make to the sample project: one file each, edited by the rows that were read.
import { type FileView, has, refOf } from "./file-view.ts";
import type { LimitWindow } from "./limit-windows.ts";

export type DemoEdit = { op: "replace" | "insert_after"; at: string; to?: string; lines: string[] };

export interface Work {
  path: string;
  /** The text before the edit. */
  saying(window: LimitWindow): string;
  /** The note on the step after the edit. */
  note(window: LimitWindow): string;
  /** The edits; "already" if the file already has the change, "strange" if it is not the file that the script knows. */
  edits(view: FileView, window: LimitWindow): DemoEdit[] | "already" | "strange";
}

const limiter: Work = {
  path: "src/limiter.js",
  saying: ({ maker, code }) =>
    code.length === 0
      ? `\`${maker}\` keeps its counts by key, so tokens can use it as they are.`
      : "The limiter for tokens goes below the existing one; that one stays as it is.",
  note: ({ maker }) => `${maker} added to src/limiter.js`,
  edits(view, { maker, code }) {
    if (has(view, `function ${maker}(`)) return "already";
    const last = view.rows.findLast(({ text }) => text === "}")?.ref;
    return last === undefined || !has(view, "function fixedWindow(")
      ? "strange"
      : [{ op: "insert_after", at: last, lines: code }];
  },
};

const gateway: Work = {
  path: "src/gateway.js",
  saying: () =>
    "The token is known only after `verify()`, so its limit goes directly behind that. The per-IP limit stays first.",
  note: ({ maker }) => `${maker} limits each token behind the per-IP limit`,
  edits(view, { maker }) {
    if (has(view, "perToken")) return "already";
    const imported = refOf(view, 'from "./limiter.js"');
    const limit = refOf(view, "const perIpLimit");
    const made = refOf(view, "const perIp = ");
    const refused = refOf(view, "if (!address.ok)");
    const verified = refOf(view, "if (!token) return");
    if (!imported || !limit || !made || !refused || !verified) return "strange";
    const importing: DemoEdit = {
      op: "replace",
      at: imported,
      lines: [`import { fixedWindow, ${maker} } from "./limiter.js";`],
    };
    return [
      ...(maker === "fixedWindow" ? [] : [importing]),
      { op: "insert_after", at: limit, lines: ["const perTokenLimit = 100;"] },
      {
        op: "insert_after",
        at: made,
        lines: [`  const perToken = ${maker}({ limit: perTokenLimit, windowMs: minuteMs, now });`],
      },
      {
        op: "replace",
        at: refused,
        lines: ["    if (!address.ok) return tooManyRequests(address.retryAfterMs);"],
      },
      {
        op: "insert_after",
        at: verified,
        lines: [
          "",
          "    const gate = perToken.take(token);",
          "    if (!gate.ok) return tooManyRequests(gate.retryAfterMs);",
        ],
      },
    ];
  },
};

const answers: Work = {
  path: "src/answers.js",
  saying: () => "429 gets a Retry-After header, in whole seconds and rounded up.",
  note: () => "429 answers carry Retry-After in seconds",
  edits(view) {
    if (has(view, "retry-after")) return "already";
    const at = refOf(view, "export function tooManyRequests()");
    const to = refOf(view, "return answer(429");
    if (!at || !to) return "strange";
    const lines = [
      "/** Retry-After counts whole seconds. */",
      "export function tooManyRequests(retryAfterMs) {",
      "  const seconds = String(Math.max(1, Math.ceil(retryAfterMs / 1000)));",
      '  return answer(429, { error: "too many requests" }, { "retry-after": seconds });',
    ];
    return [{ op: "replace", at, to, lines }];
  },
};

const readme: Work = {
  path: "README.md",
  saying: () => "The README names both limits and the header.",
  note: () => "both limits documented",
  edits(view, { label }) {
    if (has(view, "| one token |")) return "already";
    const table = refOf(view, "| one IP address |");
    const sentence = refOf(view, "A request over a limit");
    if (!table || !sentence) return "strange";
    return [
      {
        op: "insert_after",
        at: table,
        lines: [`| one token | 100 requests a minute (${label.toLowerCase()}) |`],
      },
      {
        op: "replace",
        at: sentence,
        lines: ["A request over a limit is answered with 429; `Retry-After` says how many seconds to wait."],
      },
    ];
  },
};

/** In the order of the work. The limiter is left out if the existing one is enough. */
export function workFor(window: LimitWindow): Work[] {
  return window.code.length === 0 ? [gateway, answers, readme] : [limiter, gateway, answers, readme];
}

/** One change for each step of the script's plan, in order. */
export const scriptedWork: readonly Work[] = [limiter, gateway, answers, readme];
