// Opens the app, already paired, in this machine's browser if it has one. Every user of a machine can read the
// arguments of every program, so the browser gets a file that only this user can read and that redirects to the
// address.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { programEnv } from "./child-env.ts";

/** A browser starts within this time. */
const keptMs = 60_000;

/** `folder`: one that only this user can read. Never throws: without a browser, a person scans the code. */
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

/** Returns the file's path. The file is removed after a minute, or when this process ends. */
function keepPage(url: string, folder: string): string {
  const made = isSnapBrowserHere() ? mkdtempSync(join(homedir(), "handrail-open-")) : undefined;
  const page = join(made ?? folder, `open-${randomBytes(8).toString("hex")}.html`);
  writeFileSync(page, leadingTo(url), { flag: "wx", mode: 0o600 });
  const remove = () => rmSync(made ?? page, { recursive: true, force: true });
  process.once("exit", remove);
  setTimeout(remove, keptMs).unref();
  return page;
}

/** Ubuntu's browsers are snaps. They cannot read hidden folders, or any folder outside the home folder. */
function isSnapBrowserHere(): boolean {
  return ["firefox", "chromium"].some((name) => existsSync(`/snap/bin/${name}`));
}

function leadingTo(url: string): string {
  // The URL parser has already encoded quotes and angle brackets (%22); an ampersand would begin a character reference.
  const href = new URL(url).href.replaceAll("&", "&amp;").replaceAll("'", "%27");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url='${href}'">
<title>Handrail</title>
<a href="${href}">Open Handrail</a>
`;
}
