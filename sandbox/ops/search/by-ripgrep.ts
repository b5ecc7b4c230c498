// Searches with ripgrep, without its configuration and without options that start other programs.
import { createInterface } from "node:readline";
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import { baseEnvironment, machinePath } from "../../exec/environment.ts";
import { spawnStreaming } from "../../exec/spawn-streaming.ts";
import type { Jail } from "../../jail/jailed-process.ts";
import { ownProcess } from "../../jail/own-program.ts";
import { repositoryMounts } from "../../jail/repository-mounts.ts";
import * as limits from "../../limits.ts";
import { openFolder } from "../../paths/inside.ts";
import type { Folder } from "../../workspace/folder.ts";
import { liesAbove } from "../../workspace/repository.ts";
import { checkedGlob } from "../list.ts";
import type { Hit, Hits, SearchRun } from "./hits.ts";

const RgMatch = z.object({
  type: z.literal("match"),
  data: z.object({ path: z.object({ text: z.string() }), line_number: z.number(), lines: z.unknown() }),
});

export interface Ripgrep {
  /** Path of ripgrep. */
  program: string;
  jail: Jail | undefined;
}

export async function searchByRipgrep(rg: Ripgrep, folder: Folder, run: SearchRun): Promise<Hits> {
  const { root } = folder;
  const narrowed = await narrow(root, run.glob);
  const wanted = run.glob === undefined ? () => true : checkedGlob(run.glob);
  const args = [
    ...[
      "--json",
      "--no-config",
      "--hidden",
      "--no-require-git",
      // Above the workspace, only rules of its own repository count, and ripgrep goes no further up than
      // that.
      ...(liesAbove(await folder.repository(), root) ? [] : ["--no-ignore-parent"]),
      "--no-ignore-global",
      "--no-ignore-dot",
    ],
    ...[
      "--sort",
      "path",
      "--max-filesize",
      String(limits.fileBytes),
      "--glob",
      "!**/.git",
      "--glob",
      "!.handrail-tmp-*",
    ],
    ...(run.regex ? ["--crlf"] : ["--fixed-strings"]),
    ...narrowed.type,
    ...["--regexp", run.pattern, "--", narrowed.folder],
  ];
  const child = spawnStreaming(started(rg, folder, args));
  const end = () => child.kill("SIGKILL");
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limits.searchMs);
  run.signal.addEventListener("abort", end);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  // The promise is awaited only after the output has been read, so an earlier rejection must not count as
  // unhandled.
  exit.catch(() => undefined);
  let problem = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (problem.length < 2_000) problem += chunk.toString("utf8");
  });
  try {
    const { hits, full } = await collect(createInterface({ input: child.stdout }), run.limit, wanted);
    if (full) end();
    const code = await exit;
    if (!full && !late && code === 2 && hits.length === 0 && /regex|pattern/i.test(problem))
      throw badPattern(problem);
    return { hits, truncated: full || late };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", end);
  }
}

function started({ program, jail }: Ripgrep, { root, outside }: Folder, args: string[]) {
  const env = baseEnvironment("/nonexistent", machinePath());
  if (!jail) return { file: program, args, cwd: root, env };
  const { under, mounts } = repositoryMounts(outside, { root, writable: false, state: jail.state });
  return ownProcess(jail, {
    ...{ program, root, writable: false, env, script: 'exec "$@"', args: [program, ...args] },
    ...(under ? { under } : {}),
    ...(mounts ? { mounts } : {}),
  });
}

/**
 * ripgrep's own --glob would include files that .gitignore excludes. So globs are matched against the paths
 * that it found. What is passed to ripgrep only spares it paths that cannot match: other names, and folders
 * outside of a fixed beginning of the glob.
 */
async function narrow(root: string, glob: string | undefined): Promise<{ type: string[]; folder: string }> {
  const everything = { type: [], folder: "." };
  if (glob === undefined || glob.startsWith("!")) return everything;
  if (!glob.includes("/") && !glob.includes(":")) {
    return { type: ["--type-add", `handrail:${glob}`, "--type", "handrail"], folder: "." };
  }
  // A glob whose only slash is at its end matches folders of that name at any depth.
  if (/^(?:\.\/)?[^/]*\/$/.test(glob)) return everything;
  const names = glob
    .replace(/^\.?\//, "")
    .split("/")
    .slice(0, -1);
  const end = names.findIndex((name) => /[*?[\]{}!]|^(\.\.|\.git)?$/.test(name));
  const prefix = names.slice(0, end < 0 ? names.length : end).join("/");
  if (prefix === "") return everything;
  // ripgrep enters a folder that is named as an argument even if it is a link, so only a real one is named.
  const folder = await openFolder(root, prefix).catch(() => undefined);
  await folder?.handle.close();
  return { type: [], folder: folder?.path === prefix ? `./${prefix}` : "." };
}

async function collect(
  lines: AsyncIterable<string>,
  limit: number,
  wanted: (path: string) => boolean,
): Promise<{ hits: Hit[]; full: boolean }> {
  const hits: Hit[] = [];
  let count = 0;
  for await (const line of lines) {
    if (!line.startsWith('{"type":"match"')) continue;
    const match = z.safeParse(RgMatch, JSON.parse(line));
    // A name that is not UTF-8 cannot be requested either, so the file is left out.
    if (!match.success) continue;
    const path = match.data.data.path.text.replace(/^\.\//, "");
    if (!wanted(path)) continue;
    if (count >= limit) return { hits, full: true };
    count += 1;
    const last = hits.at(-1);
    if (last?.path === path) last.lines.push(match.data.data.line_number);
    else hits.push({ path, lines: [match.data.data.line_number] });
  }
  return { hits, full: false };
}

function badPattern(said: string): HandrailError {
  const why = said.split("\n").find((line) => line.startsWith("error:")) ?? said.split("\n")[0] ?? "";
  return new HandrailError(
    "invalid_request",
    `pattern: not a regular expression that can be searched for. ${why.slice(0, 300)}`,
  );
}
