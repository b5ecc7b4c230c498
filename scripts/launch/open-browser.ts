// Opens a page in this machine's browser, where it has one.
import { spawn } from "node:child_process";
import { programEnv } from "./child-env.ts";

/** Never throws: whoever has no browser here scans the code. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [url], { env: programEnv(env), stdio: "ignore", detached: true });
  child.once("error", () =>
    console.error(`--open: ${program} is not on this machine; open the pair URL by hand.`),
  );
  child.unref();
}
