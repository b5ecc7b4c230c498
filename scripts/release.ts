// `npm run release`: creates a release in the folder `release` (the package, the image, checksums, and notes from
// CHANGELOG.md) and then publishes the package. `--dry-run` does everything but publish; `--no-tests`, `--no-image` and
// `--no-publish` leave out a step.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./build.ts";
import { versionOf } from "./launch/run.ts";
import { packInto } from "./pack.ts";

const target = join(root, "release");

/** The section of `version` without its heading, or the unreleased one if there is none. Throws if both are missing. */
export function notesFor(version: string, changelog: string): { heading: string; text: string } {
  const sections = changelog.split(/^## /m).slice(1);
  const found =
    sections.find((section) => section.startsWith(`[${version}]`)) ??
    sections.find((section) => section.startsWith("[Unreleased]"));
  if (found === undefined) throw new Error(`CHANGELOG.md has no section for ${version}; write one.`);
  const [heading = "", ...lines] = found.split("\n");
  const text = lines.join("\n").trim();
  if (text === "") throw new Error(`CHANGELOG.md says nothing under ${heading}; write what is new.`);
  return { heading, text };
}

/** In the format of `sha256sum`. */
export function checksums(folder: string): string {
  const names = readdirSync(folder)
    .filter((name) => name !== "SHA256SUMS")
    .sort();
  const lines = names.map((name) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    return `${digest}  ${name}\n`;
  });
  return lines.join("");
}

function must(program: string, ...args: string[]): void {
  console.log(`\n$ ${[program, ...args].join(" ")}`);
  const done = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")} failed; the release stops here.`);
}

function image(version: string, packed: string): void {
  if (spawnSync("docker", ["info"], { stdio: "ignore" }).status !== 0)
    throw new Error("No Docker daemon answers; start one, or leave the image out with --no-image.");
  const context = join(root, "image");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context);
  writeFileSync(join(context, basename(packed)), readFileSync(packed));
  must("docker", "build", "-f", "Containerfile", "-t", `handrail:${version}`, ".");
}

async function release(args: readonly string[]): Promise<void> {
  const isDry = args.includes("--dry-run");
  const version = versionOf(root);
  const { heading, text } = notesFor(version, readFileSync(join(root, "CHANGELOG.md"), "utf8"));
  if (!isDry && !heading.startsWith(`[${version}] - `))
    throw new Error(`CHANGELOG.md has no dated section [${version}]; rename [Unreleased] first.`);
  if (!args.includes("--no-tests"))
    for (const name of ["check", "test", "test:all"]) must("npm", "run", name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const packed = await packInto(target);
  if (!args.includes("--no-image")) image(version, packed);
  writeFileSync(join(target, "NOTES.md"), `${text}\n`);
  writeFileSync(join(target, "SHA256SUMS"), checksums(target));
  console.log(`\n${target}: ${readdirSync(target).join(", ")}`);
  if (isDry) console.log("dry run: nothing was published");
  else if (!args.includes("--no-publish")) must("npm", "publish", packed, "--access", "public");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await release(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
