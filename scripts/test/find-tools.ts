// Finds the programs that some test layers need besides Node and git. Installs nothing.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

export const toolNames = ["chromium", "bubblewrap", "ripgrep"] as const;
export type ToolName = (typeof toolNames)[number];

/** Absolute paths of the tools that were found. */
export type Tools = Partial<Record<ToolName, string>>;

const programs: Readonly<Record<ToolName, readonly string[]>> = {
  chromium: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"],
  bubblewrap: ["bwrap"],
  ripgrep: ["rg"],
};

/** Where package managers and app bundles install them, if they are not on PATH. */
const usualFolders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/snap/bin"];
const macBrowsers = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export function findTools(): Tools {
  const found = toolNames.map((name) => [name, findTool(name)] as const);
  return Object.fromEntries(found.filter(([, path]) => path !== undefined));
}

function findTool(name: ToolName): string | undefined {
  const candidates = inFolders(programs[name]);
  if (name !== "chromium") return candidates.find(isExecutable);
  const told = process.env.HANDRAIL_CHROMIUM ? [process.env.HANDRAIL_CHROMIUM] : [];
  return [...told, ...candidates, ...macBrowsers, downloadedBrowser()].find(isExecutable);
}

/**
 * Chromium's headless shell, which Debian has as a package of its own: the same engine without the browser's own windows.
 * A page costs about half the time there. It shows no notifications.
 */
export function findHeadlessShell(): string | undefined {
  return inFolders(["chromium-headless-shell"]).find(isExecutable);
}

function inFolders(programs: readonly string[]): string[] {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...usualFolders];
  return folders
    .filter((folder) => folder !== "")
    .flatMap((folder) => programs.map((program) => join(folder, program)));
}

/** Where playwright stores its own download; the file may be missing. */
export function downloadedBrowser(): string {
  return chromium.executablePath();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Bubblewrap may be installed but refused, because user namespaces are often forbidden. */
export function bubblewrapWorks(path: string): boolean {
  return spawnSync(path, ["--ro-bind", "/", "/", "--unshare-all", "true"], { stdio: "ignore" }).status === 0;
}

/**
 * What a run leaves out without Docker. `.ci/run` installs Docker; a contributor's machine does not get it just for
 * tests.
 */
export const withoutDocker =
  "docker: needs root and the programs dockerd, docker, debootstrap and ip. LEFT OUT: guests in real containers";

/**
 * Docker's daemon and debootstrap need Linux and root. Root without the right to mount, as in most containers, is not
 * enough.
 */
export function dockerWorks(): boolean {
  const runs = (program: string, ...args: string[]) =>
    spawnSync(program, args, { stdio: "ignore" }).status === 0;
  const has = (program: string) => runs("sh", "-c", `command -v ${program}`);
  const isRoot = process.getuid?.() === 0 && runs("unshare", "--mount", "--net", "true");
  return isRoot && ["dockerd", "docker", "debootstrap", "ip"].every(has);
}
