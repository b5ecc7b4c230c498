// From nothing to the first approved plan, following README.md: with the packed file, an empty home, an empty
// npm cache and no network; questions in a terminal, the page in Chromium, the scripted demo. It does not
// count the time in which a person reads and thinks.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { launchBrowser, newSession, openPhone, pair, say } from "../e2e/phone.ts";
import { packed } from "../harness/packed.ts";
import { allGone, descendantsOf } from "../harness/processes.ts";
import { say as sayFigure } from "./figures.ts";

export async function run(): Promise<void> {
  const it = await packed();
  const browser = await launchBrowser();
  const started = startInTerminal(it.folder, `npx --yes '../${basename(it.file)}' --port 0`);
  try {
    const begun = performance.now();
    const since = (what: string) =>
      sayFigure({ what, value: (performance.now() - begun) / 1_000, unit: "s", digits: 1 });
    for (const question of ["Which folder", "Which model", "How does your phone get in"]) {
      await started.says(new RegExp(`${question}[\\s\\S]*\\[1\\]: `));
      if (question === "Which folder") since("npx has it, and the first question is asked");
      started.type("\r");
    }
    const [, url = ""] = await started.says(/^ready (\S+)\r?$/m);
    const [, token = ""] = await started.says(/#pair=(\S+)/);
    since("ready, and the code is shown");
    const { page } = await openPhone(browser, { serviceWorker: true });
    await pair(page, { url, token });
    since("paired");
    await newSession(page);
    await say(page, "/plan Limit each API token to 100 requests a minute.");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("radio").first().click();
    since("its question is answered");
    await sheet.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("button", { name: "Approve and run" }).click();
    since("the first plan is approved");
    await page
      .getByText(/^Change[ds]/)
      .last()
      .waitFor();
    since("the plan is carried out, its checks passed");
  } finally {
    await browser.close();
    await started.stop();
    it.remove();
  }
}

interface Terminal {
  /** Resolves once all the output until now matches. */
  says(words: RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  stop(): Promise<void>;
}

/** util-linux's `script` provides the terminal. `beside`: the folder with the packed file. */
function startInTerminal(beside: string, command: string): Terminal {
  const cwd = join(beside, "empty");
  const home = join(beside, "home");
  mkdirSync(cwd);
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: {
      ...{ PATH: process.env.PATH ?? "", HOME: home, TMPDIR: tmpdir(), TERM: "xterm" },
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
      npm_config_cache: join(home, "npm cache"),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  let look: () => void = () => undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    look();
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    says: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = words.exec(said);
          if (found) resolve(found);
        };
        look();
        void ended.then(() => reject(new Error(`it ended:\n${said}`)));
      }),
    type: (text) => void child.stdin.write(text),
    stop: async () => {
      const servers = descendantsOf(child.pid ?? -1);
      child.stdin.write("\x03");
      await ended;
      await allGone(servers);
    },
  };
}
