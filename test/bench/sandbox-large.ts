// The time that protecting a workspace's repositories adds to a command: in a workspace of a few files, and
// in one of 20,000.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, RunningServer } from "../sandbox/running-server.ts";
import { medians } from "./medians.ts";

const folders = 2_000;
const filesEach = 10;

/**
 * Prints the median time of a command that writes, with git's settings protected and checked, and of one
 * without a jail.
 */
export async function largeWorkspaces(): Promise<void> {
  const [small, large] = [await workspace(1), await workspace(folders)];
  const [jailedSmall, jailedLarge] = await Promise.all([start(small, {}), start(large, {})]);
  const bare = await start(large, { HANDRAIL_NO_BWRAP: "1" });
  const all = [jailedSmall, jailedLarge, bare];
  const [few = 0, many = 0, free = 0] = await medians(
    20,
    all.map(({ work }) => work),
  );
  for (const { server } of all) await server.stop();
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  console.log(
    `\`true\` that may write: ${ms(few)} in ${filesEach} files, ${ms(many)} in ${folders * filesEach}: ${(many / few).toFixed(1)} times; without a jail ${ms(free)}`,
  );
}

/** Makes `count` folders with ten files each, in a repository without a commit. */
export async function workspace(count: number): Promise<string> {
  const root = await freshFolder("workspace");
  for (let folder = 0; folder < count; folder++) {
    const path = join(root, `f${folder % 50}`, `g${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesEach; file++) writeFileSync(join(path, `${file}.txt`), `${file}\n`);
  }
  execFileSync("git", ["init", "-q"], { cwd: root });
  return root;
}

async function start(root: string, env: Record<string, string>) {
  const server = await RunningServer.start({ workspace: root, env });
  const { id } = await server.client.create();
  return { server, work: () => server.client.call(id, "exec", { command: "true" }) };
}
