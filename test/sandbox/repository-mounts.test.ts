// What is prepared of a repository outside of the workspace before it is mounted, whatever took the place of
// its parts.
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { repositoryMounts } from "../../sandbox/jail/repository-mounts.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let top: string;
let common: string;
let own: string;
let away: string;
beforeEach(async () => {
  const base = await freshFolder("base");
  [top, away] = [join(base, "top"), join(base, "away")];
  [common, own] = [join(top, ".git"), join(top, ".git", "worktrees", "w")];
  for (const folder of [join(top, "part"), join(common, "objects"), join(common, "refs"), own, away])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(common, "config"), "[core]\n");
});
afterAll(removeFolders);

const whole = () => ({ gitDir: common, commonDir: common, top });
const linked = () => ({ gitDir: own, commonDir: common, top: join(top, "part") });
function shown(repository: ReturnType<typeof whole>, state = "/state") {
  const root = join(top, "part");
  const { under = [], mounts } = repositoryMounts(repository, { root, writable: true, state });
  return { places: under.map(({ source, writable }) => [source.slice(top.length), writable]), mounts };
}

test("the state folder is hidden where it is in what is shown", () => {
  expect(shown(whole(), join(top, "state")).mounts).toEqual(["--tmpfs", join(top, "state")]);
  expect(shown(whole(), "/state").mounts).toEqual([]);
});

test("folders of hooks and settings that are missing are made, so that no command makes them", () => {
  const { places } = shown(whole());
  expect(places).toEqual([
    ...[
      ["", false],
      ["/.git", true],
      ["/.git/hooks", false],
      ["/.git/info", false],
    ],
    ...[
      ["/.git/worktrees", false],
      ["/.git/config", false],
    ],
  ]);
  writeFileSync(join(common, "config"), "[extensions]\n\tworktreeConfig = true\n");
  expect(shown(whole()).places).toContainEqual(["/.git/config.worktree", false]);
  expect(shown(linked()).places).toContainEqual(["/.git/worktrees/w/config.worktree", false]);
});

test("a link in the place of a part is neither mounted nor followed", () => {
  symlinkSync(away, join(common, "hooks"));
  renameSync(join(common, "objects"), join(common, "aside"));
  symlinkSync(away, join(common, "objects"));
  const places = [whole(), linked()].flatMap((repository) => shown(repository).places);
  expect(places.flat()).not.toContain("/.git/hooks");
  expect(places.flat()).not.toContain("/.git/objects");
  expect(places).toContainEqual(["/.git/refs", true]);
});

test("nothing is made where the git folder itself became a link", () => {
  writeFileSync(join(away, "config"), "[extensions]\n\tworktreeConfig = true\n");
  renameSync(common, join(top, "aside"));
  symlinkSync(away, common);
  shown(whole());
  expect(readdirSync(away)).toEqual(["config"]);
});

test("a read-only command gets one mount for all that lies in one folder", () => {
  const root = join(top, "part");
  const places = (repository: ReturnType<typeof whole>, away = root) =>
    repositoryMounts(repository, { root: away, writable: false, state: "/state" }).under?.map(
      ({ source, writable }) => [source, writable],
    );
  expect(places(whole())).toEqual([[top, false]]);
  expect(places({ ...linked(), top: away }, away)).toEqual([[common, false]]);
});

test("a worktree's folder in the repository that is gone is still among the mounts, whose check names it", () => {
  rmSync(own, { recursive: true });
  expect(shown(linked()).places).toContainEqual(["/.git/worktrees/w", true]);
});
