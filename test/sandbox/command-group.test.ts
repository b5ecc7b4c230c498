// The cgroup of a command, in a plain folder instead of the kernel's: what is written there in which order,
// and what is left.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import {
  commandGroup,
  groupParents,
  offersControllers,
  sweepGroups,
} from "../../sandbox/jail/command-group.ts";
import { namesIn } from "../../sandbox/read-now.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let parent: string;
const text = (...names: string[]) => readFileSync(join(parent, ...names), "utf8");

beforeEach(async () => {
  parent = await freshFolder("cgroup");
});
afterAll(removeFolders);

test("a command is held to its memory and processes without swap, and ended as a whole", async () => {
  await commandGroup(parent, { memoryBytes: 1_000_000, tasks: 50 }).hold(4_242);
  const [name = ""] = namesIn(parent);
  expect(name).toMatch(new RegExp(`^handrail-${process.pid}-[0-9a-f]{12}$`));
  expect(Object.fromEntries(namesIn(join(parent, name)).map((file) => [file, text(name, file)]))).toEqual({
    "memory.max": "1000000",
    "memory.swap.max": "0",
    "memory.oom.group": "1",
    "pids.max": "50",
    "cpu.weight": expect.stringMatching(/^\d+$/),
    "cgroup.procs": "4242",
  });
});

test("a group that cannot be made holds nothing, and says so", async () => {
  const group = commandGroup(join(parent, "missing"), { memoryBytes: 1, tasks: 1 });
  await expect(group.hold(4_242)).rejects.toThrow("ENOENT");
});

test("whether the kernel ended it for its memory is read from the group", async () => {
  const ended = async (events: string) => {
    const group = commandGroup(parent, { memoryBytes: 1, tasks: 1 });
    await group.hold(4_242);
    const name = namesIn(parent).at(-1) ?? "";
    writeFileSync(join(parent, name, "memory.events"), events);
    const reason = await group.end();
    // A plain folder with files cannot be removed as a group can. The server would keep trying while this file
    // removes its folders; under another name it counts as gone.
    renameSync(join(parent, name), join(parent, "ended"));
    return reason;
  };
  expect(await ended("low 0\noom 1\noom_kill 1\n")).toBe("memory");
  parent = await freshFolder("cgroup");
  expect(await ended("low 0\noom 1\noom_kill 0\n")).toBeUndefined();
});

test("controllers that children lack are asked for; a folder without memory or processes is none", async () => {
  const file = join(parent, "cgroup.subtree_control");
  writeFileSync(file, "cpu memory pids\n");
  expect(await offersControllers(parent)).toBe(true);
  expect(text("cgroup.subtree_control")).toBe("cpu memory pids\n");
  writeFileSync(file, "cpu\n");
  expect(await offersControllers(parent)).toBe(false);
  expect(text("cgroup.subtree_control")).toMatch(/^\+(cpu|memory|pids)$/);
});

test("groups of dead servers are removed; those of living ones, and of others, stay", () => {
  const dead = 2 ** 22 + 1;
  for (const name of [`handrail-${dead}-ab`, `handrail-${process.pid}-ab`, "handrail-x", `user-${dead}-ab`])
    mkdirSync(join(parent, name));
  sweepGroups(parent);
  expect(namesIn(parent).sort()).toEqual(
    [`handrail-${process.pid}-ab`, "handrail-x", `user-${dead}-ab`].sort(),
  );
});

test("folders for groups are of this machine, the nearest to this server first", () => {
  const parents = groupParents();
  for (const folder of parents) expect(existsSync(folder), folder).toBe(true);
  expect(parents).toEqual(parents.toSorted((a, b) => b.length - a.length));
});
