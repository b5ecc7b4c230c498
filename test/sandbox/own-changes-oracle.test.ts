// Two to four sandboxes, a person's editor and git work in one folder in any order. Some sandboxes move into
// a worktree and bring it back later. The changes attributed to each sandbox equal a replay of its calls
// alone, its undo reverts exactly those, and no change is lost.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ChangeValue, ExecValue, ReadValue } from "../../shared/sandbox.ts";
import { RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import { runs } from "../harness/runs.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

/** Each line belongs to one actor. The lines are so far apart that no two changes touch. */
const slots = 12;
const files = ["a.txt", "b.txt", "c.txt"] as const;
/** The state of each file: which word was written into which slot; null = the slot is unchanged. */
type Slots = (string | null)[];
type World = Record<string, Slots>;

const textOf = (list: Slots) =>
  list.map((word, slot) => `slot ${slot}: ${word ?? "begun"}\nkept\nkept\nkept\n`).join("");
const begun = (): World => Object.fromEntries(files.map((name) => [name, Array<null>(slots).fill(null)]));

/** A folder with its contents: the served one, or a sandbox's worktree. */
interface Place {
  root: string;
  world: World;
  made: Set<string>;
  /** The content of the newest commit that folder and worktree share. */
  head: World;
}

/** `onto` with the differences between the other two applied. */
function merged(onto: World, from: World, to: World): World {
  const at = (world: World, name: string, slot: number) => world[name]?.[slot] ?? null;
  return Object.fromEntries(
    Object.entries(onto).map(([name, list]) => [
      name,
      list.map((word, slot) => (at(from, name, slot) === at(to, name, slot) ? word : at(to, name, slot))),
    ]),
  );
}

interface Step {
  who: number;
  how: string;
  file: string;
  slot: number;
}

/** `who`: the number of a sandbox, otherwise the person. A slot belongs to one actor, so no file is mixed. */
const step = fc.record({
  who: fc.nat(4),
  how: fc.constantFrom(
    ...["edit", "command", "edit", "command", "create", "commit", "point", "undo", "look"],
    ...["worktree", "bring back"],
  ),
  file: fc.constantFrom(...files),
  slot: fc.nat(slots - 1),
});

let server: RunningServer;
let served: string;
let home: string;
let folders = 0;

beforeAll(async () => {
  served = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  server = await RunningServer.start({ workspace: served });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

async function play(count: number, steps: readonly Step[]): Promise<void> {
  folders += 1;
  const path = `folder-${folders}`;
  const root = join(served, path);
  const { client } = server;
  await mkdir(root);
  for (const name of files) await writeFile(join(root, name), textOf(begun()[name] ?? []));
  hostGit(home, root, "init", "-q");
  hostGit(home, root, "add", "-A");
  hostGit(home, root, "commit", "-qm", "first");
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await client.create({ source: { path } })).id);
  const main: Place = { root, world: begun(), made: new Set(), head: begun() };
  /** The folder in which each sandbox works; the last entry is the person's. */
  const places = [...ids, "the person"].map(() => main);
  /** The changes of each sandbox's calls alone, now and at its newest point. */
  const own = ids.map(() => ({ world: begun(), made: new Set<string>() }));
  const points = ids.map((): { snapshot: string; world: World; made: Set<string> } | undefined => undefined);
  const read = (place: Place, name: string) => readFile(join(place.root, name), "utf8").catch(() => null);
  /** Uncommitted changes move along. A sandbox whose commits conflict stays. */
  const giveWorktree = async (n: number, id: string) => {
    const mine = own[n]?.world ?? {};
    const isElsewhere = files.some((name) =>
      (main.head[name] ?? []).some(
        (word, slot) => slot % (count + 1) === n && word !== null && word !== mine[name]?.[slot],
      ),
    );
    if (places[n] !== main || isElsewhere) return;
    const { status, body } = await client.post(`/sandboxes/${id}/worktree`, {});
    expect(status, `${JSON.stringify(body)} ${server.log.slice(-2_000)}`).toBe(201);
    places[n] = {
      root: join(server.state, "sandboxes", id, "worktree"),
      world: merged(main.head, begun(), mine),
      made: new Set(own[n]?.made),
      head: main.head,
    };
    for (const [name, list] of Object.entries(main.world))
      for (const slot of list.keys())
        if (slot % (count + 1) === n) list[slot] = main.head[name]?.[slot] ?? null;
    for (const name of own[n]?.made ?? []) main.made.delete(name);
  };
  const bringBack = async (n: number, id: string) => {
    const place = places[n];
    if (!place || place === main) return;
    const { body } = await client.post(`/sandboxes/${id}/bring-back`, { how: "merge" });
    place.world = merged(main.head, place.head, place.world);
    place.head = main.head;
    expect(body).toMatchObject({ conflicts: [] });
    const changed = files.filter((name) => String(place.world[name]) !== String(main.head[name]));
    const open = changed.filter((name) => String(main.world[name]) !== String(main.head[name]));
    expect(body).toMatchObject({ done: open.length === 0, blocked: open });
    if (open.length > 0) return;
    main.world = merged(main.world, main.head, place.world);
    main.head = structuredClone(place.world);
    place.head = main.head;
    for (const name of place.made) main.made.add(name);
  };
  const check = async (n: number) => {
    const { stdout, mixed } = await client.value(
      GitValue,
      ids[n] ?? "",
      "git",
      { verb: "diff", since: "start", whose: "own" },
      "readonly",
    );
    const mine = own[n];
    const expected = files.flatMap((name) =>
      (mine?.world[name] ?? []).flatMap((word, slot) =>
        word === null ? [] : [`-slot ${slot}: begun`, `+slot ${slot}: ${word}`],
      ),
    );
    for (const name of mine?.made ?? []) expected.push(`+made ${name}`);
    const told = [...stdout.matchAll(/^[+-](?![+-]{2} ).*$/gm)].map(([line]) => line);
    expect(told.sort()).toEqual(expected.sort());
    expect(mixed).toEqual([]);
  };
  for (const [at, { who, how, file, slot: raw }] of steps.entries()) {
    const n = who % (count + 1);
    const id = ids[n];
    const mine = own[n];
    const place = places[n] ?? main;
    const { world } = place;
    // Maps the slot to one that belongs to this actor.
    const slot = raw - (raw % (count + 1)) + n;
    if (slot >= slots) continue;
    const word = `word ${at} of ${n}`;
    const name = `made-${n}-${slot}.txt`;
    const set = (target: World) => {
      const list = target[file];
      if (list) list[slot] = word;
    };
    if (how === "commit") {
      hostGit(home, root, "commit", "-qam", `commit ${at}`, "--allow-empty");
      main.head = structuredClone(main.world);
    } else if (id === undefined || !mine) {
      set(world);
      await writeFile(join(root, file), textOf(world[file] ?? []));
      // Switching branches and back leaves the files unchanged.
      if (how === "undo") hostGit(home, root, "checkout", "-q", "-b", `branch-${at}`);
    } else if (how === "edit") {
      set(world);
      set(mine.world);
      const { version } = await client.value(ReadValue, id, "read", { path: file });
      const change = { path: file, base: version, content: textOf(world[file] ?? []) };
      await client.value(ChangeValue, id, "change", { files: [change] });
    } else if (how === "command") {
      set(world);
      set(mine.world);
      await client.value(ExecValue, id, "exec", {
        command: `sed -i 's/^slot ${slot}: .*/slot ${slot}: ${word}/' ${file}`,
      });
    } else if (how === "create" && !place.made.has(name)) {
      const change = { path: name, base: null, content: `made ${name}\n` };
      await client.value(ChangeValue, id, "change", { files: [change] });
      mine.made.add(name);
      place.made.add(name);
    } else if (how === "point") {
      const { snapshot } = await client.value(SnapshotValue, id, "snapshot", {}, "readonly");
      points[n] = { snapshot, world: structuredClone(mine.world), made: new Set(mine.made) };
    } else if (how === "undo") {
      const point = points[n] ?? { snapshot: "start", world: begun(), made: new Set<string>() };
      await client.value(RestoreValue, id, "restore", { snapshot: point.snapshot, own: true });
      for (const each of files)
        for (const [place, had] of (mine.world[each] ?? []).entries()) {
          const was = point.world[each]?.[place] ?? null;
          const list = world[each];
          if (had !== was && list) list[place] = was;
        }
      for (const each of mine.made) if (!point.made.has(each)) place.made.delete(each);
      own[n] = { world: structuredClone(point.world), made: new Set(point.made) };
    } else if (how === "worktree") await giveWorktree(n, id);
    else if (how === "bring back") await bringBack(n, id);
    else await check(n);
    for (const each of new Set(places))
      for (const name of files) expect(await read(each, name)).toBe(textOf(each.world[name] ?? []));
  }
  for (const n of ids.keys()) await check(n);
  for (const place of new Set(places))
    for (const name of place.made) expect(await read(place, name)).not.toBeNull();
  for (const id of ids) await client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
  await rm(root, { recursive: true });
}

test("each sandbox's changes equal a replay of its calls alone, and an undo reverts exactly them", {
  tags: "seeds",
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }),
      fc.array(step, { minLength: 4, maxLength: 16 }),
      async (count, steps) => play(count, steps),
    ),
    // Failures are not shrunk: a run takes seconds, and a failure shows all its steps within the time limit.
    { numRuns: runs(60, 2, 12), endOnFailure: true },
  );
});
