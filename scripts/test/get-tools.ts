// Installs the programs that the tests need and the machine lacks, if that is allowed, and reports what it did.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  bubblewrapWorks,
  dockerWorks,
  findTools,
  type ToolName,
  type Tools,
  toolNames,
  withoutDocker,
} from "./find-tools.ts";

export interface PreparedTools {
  tools: Tools;
  /** Lines for people: tools that were found, installed, or left out. */
  report: string[];
}

/** Never throws: a tool that is not available is named in the report and missing in `tools`. */
export function prepareTools(): PreparedTools {
  const report: string[] = [];
  const missing = () => toolNames.filter((name) => findTools()[name] === undefined);
  const atFirst = missing();
  if (atFirst.length > 0 && mayInstall()) {
    if (isDebianRoot()) report.push(installPackages(atFirst));
    if (missing().includes("chromium")) report.push(downloadBrowser());
  }
  const tools = findTools();
  for (const name of toolNames) report.push(`${name}: ${verdict(name, tools[name])}`);
  if (!dockerWorks()) report.push(withoutDocker);
  return { tools, report };
}

/** What each layer leaves out without the tool. */
const without: Readonly<Record<ToolName, string>> = {
  chromium: "LEFT OUT: the browser suite (test/e2e)",
  bubblewrap: "LEFT OUT: the tests of the jail; the allow-list is tested",
  ripgrep: "LEFT OUT: search with ripgrep; the fallback is tested",
};

function verdict(name: ToolName, path: string | undefined): string {
  if (path === undefined) return `not found. ${without[name]}`;
  if (name === "bubblewrap" && !bubblewrapWorks(path))
    return `${path}, refused by this machine. ${without[name]}`;
  return path;
}

function mayInstall(): boolean {
  return !process.env.HANDRAIL_NO_INSTALL;
}

function isDebianRoot(): boolean {
  return process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

function installPackages(names: readonly ToolName[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  console.log(`installing with apt-get: ${names.join(" ")} …`);
  const updated = spawnSync("apt-get", ["update", "-q"], { env, stdio: "ignore" });
  const args = ["install", "-yq", "--no-install-recommends", ...names];
  const installed = spawnSync("apt-get", args, { env, encoding: "utf8" });
  if (installed.status === 0) return `installed with apt-get: ${names.join(", ")}`;
  const why = lastLine(installed.stderr || (updated.status === 0 ? "" : "apt-get update failed"));
  return `apt-get could not install ${names.join(", ")}: ${why}`;
}

function downloadBrowser(): string {
  console.log("downloading a browser with playwright …");
  const require = createRequire(import.meta.url);
  const cli = join(dirname(require.resolve("playwright-core/package.json")), "cli.js");
  const done = spawnSync(process.execPath, [cli, "install", "chromium"], { encoding: "utf8" });
  if (done.status === 0) return "downloaded a browser with playwright";
  return `playwright could not download a browser: ${lastLine(done.stderr)}`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
