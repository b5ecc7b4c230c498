// Opens the app, paired, in this machine's browser, if it has one. Any user of the machine reads the arguments of any
// program, so the browser is given a file that only this user can read, and which leads on to the address.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { programEnv } from "./child-env.ts";

/** Longer than a browser takes to start. */
const keptMs = 60_000;

/** `folder`: ours alone. Never throws: whoever has no browser here scans the code. */
export function openBrowser(
  url: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const failed = (why: string) => console.error(`--open: ${why}; open the pair URL by hand.`);
  try {
    const page = keepPage(url, folder);
    const child = spawn(program, [page], { env: programEnv(env), stdio: "ignore", detached: true });
    child.once("error", () => failed(`${program} is not on this machine`));
    child.once("exit", (code) => {
      if (code) failed(`${program} found no browser`);
    });
    child.unref();
  } catch (error) {
    failed(error instanceof Error ? error.message : String(error));
  }
}

/** Its path. Removed after a minute, and when this process ends. */
function keepPage(url: string, folder: string): string {
  const made = isSnapBrowserHere() ? mkdtempSync(join(homedir(), "handrail-open-")) : undefined;
  const page = join(made ?? folder, `open-${randomBytes(8).toString("hex")}.html`);
  writeFileSync(page, leadingTo(url), { flag: "wx", mode: 0o600 });
  const remove = () => rmSync(made ?? page, { recursive: true, force: true });
  process.once("exit", remove);
  setTimeout(remove, keptMs).unref();
  return page;
}

/** Ubuntu's browsers are snaps, which read no hidden folder, and of the others only those in a person's home. */
function isSnapBrowserHere(): boolean {
  return ["firefox", "chromium"].some((name) => existsSync(`/snap/bin/${name}`));
}

function leadingTo(url: string): string {
  // The parser has written quotes and angle brackets as %22 and the like; an ampersand would begin a reference.
  const href = new URL(url).href.replaceAll("&", "&amp;").replaceAll("'", "%27");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url='${href}'">
<title>Handrail</title>
<a href="${href}">Open Handrail</a>
`;
}
