// Runs many scenes: each seed gives a kind of disturbance and a runtime. The runtimes run in parallel, and
// the results are added up.
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { random } from "../fakes/model-stream.ts";
import type { Runtime } from "../harness/product.ts";
import type { Toll } from "./disturb.ts";
import { runScene, type SceneResult } from "./scene.ts";
import { type Disturbance, type Kind, kinds, makeSchedule } from "./schedule.ts";
import { Mind } from "./script.ts";
import { Town } from "./town.ts";

export const runtimes = ["node", "workerd", "deno"] as const satisfies readonly Runtime[];
/**
 * The number of sessions in a scene. The same things happen to all of them, and each is judged separately.
 */
export const sessionsOfScene = 6;
/** In MiB: large enough for the stores of one scene, and soon full. */
const smallDiskMiB = 48;

const onSmallDisk: ReadonlySet<Kind> = new Set<Kind>(["full disk", "read-only disk"]);

export interface StormSettings {
  firstSeed: number;
  scenes: number;
  /** Further scenes. */
  moreSeeds?: readonly number[];
  /** Only these; all by default. */
  kinds?: readonly Kind[];
  runtimes?: readonly Runtime[];
  /** The disturbances of each scene, instead of those of its seed. */
  disturbances?: readonly Disturbance[];
  /** Kinds that this machine cannot play. */
  leftOut?: ReadonlySet<Kind>;
  /** Other builds of the sandbox server, and of the edge on Node. */
  sandboxFile?: string;
  edgeFile?: string;
  /** Called for each scene when it has ended. */
  onScene?(seed: number, result: SceneResult): void;
  /** Called for each failed scene when it has ended. */
  onFailure?(lines: readonly string[]): void;
  /** Ends after the first failed scene. */
  bail?: boolean;
}

export interface Figures extends Toll {
  scenes: number;
  sessions: number;
  effects: number;
  disturbances: number;
  slowestMs: number;
  slowestOwnMs: number;
  failures: string[];
  byRuntime: Record<string, number>;
}

/** The scene of a seed is always the same: its kind, its runtime, its sessions, its schedule. */
export function sceneOf(
  seed: number,
  { kinds: among = kinds, runtimes: on = runtimes, disturbances }: Partial<StormSettings>,
) {
  const next = random(seed);
  const runtime = on[seed % on.length] ?? "node";
  const kind = among[Math.floor(seed / on.length) % among.length] ?? "deaths";
  const jail = next() < 0.15 && !onSmallDisk.has(kind);
  const schedule = makeSchedule(seed, kind, sessionsOfScene, next);
  return { runtime, jail, schedule: disturbances ? { ...schedule, disturbances } : schedule };
}

export async function storm(settings: StormSettings): Promise<Figures> {
  const figures: Figures = {
    ...{
      scenes: 0,
      sessions: 0,
      effects: 0,
      disturbances: 0,
      slowestMs: 0,
      slowestOwnMs: 0,
      failures: [],
      byRuntime: {},
    },
    ...{ kills: 0, freezes: 0, zombies: 0, acts: {} },
  };
  const mind = new Mind();
  const model = await startModelServer((body) => mind.answer(body));
  const seeds = [
    ...Array.from({ length: settings.scenes }, (_, n) => settings.firstSeed + n),
    ...(settings.moreSeeds ?? []),
  ];
  const lanes = settings.runtimes ?? runtimes;
  try {
    await Promise.all(lanes.map((runtime) => lane(runtime, seeds, { settings, figures, mind, model })));
  } finally {
    await model.close();
  }
  return figures;
}

/** A scene that the storm itself could not play counts as a failure too, but does not end the others. */
function broken(error: unknown): SceneResult {
  const problem = `it broke: ${error instanceof Error ? error.stack : String(error)}`;
  return { problems: [problem], story: [], effects: 0, slowestMs: 0, slowestOwnMs: 0, disturbances: 0 };
}

interface Running {
  settings: StormSettings;
  figures: Figures;
  mind: Mind;
  model: ModelServer;
}

/** Runs the scenes of one runtime, one after another, in towns that are reused. */
async function lane(
  runtime: Runtime,
  seeds: readonly number[],
  { settings, figures, mind, model }: Running,
): Promise<void> {
  const towns = new Map<string, Town>();
  try {
    for (const seed of seeds) {
      const scene = sceneOf(seed, settings);
      if (scene.runtime !== runtime || settings.leftOut?.has(scene.schedule.kind)) continue;
      if (settings.bail && figures.failures.length > 0) return;
      const { jail, schedule } = scene;
      const small = onSmallDisk.has(schedule.kind);
      const key = `${jail}${small}`;
      const town =
        towns.get(key) ??
        (await Town.open({
          ...{ runtime, jail, modelUrl: model.url },
          ...(small ? { smallDiskMiB } : {}),
          ...{ sandboxFile: settings.sandboxFile, edgeFile: settings.edgeFile },
        }));
      towns.set(key, town);
      const result = await runScene(town, mind, schedule, figures).catch(broken);
      figures.scenes += 1;
      figures.sessions += schedule.sessions;
      figures.byRuntime[runtime] = (figures.byRuntime[runtime] ?? 0) + schedule.sessions;
      figures.effects += result.effects;
      figures.disturbances += result.disturbances;
      figures.slowestMs = Math.max(figures.slowestMs, result.slowestMs);
      figures.slowestOwnMs = Math.max(figures.slowestOwnMs, result.slowestOwnMs);
      settings.onScene?.(seed, result);
      if (result.problems.length === 0) continue;
      const lines = [`HANDRAIL_STORM_SEED=${seed} HANDRAIL_STORM_CASES=1`, ...result.problems];
      figures.failures.push(lines.join("\n"));
      settings.onFailure?.([...lines, ...result.story]);
      // Remains of a failed scene would disturb the next one.
      await town.close();
      towns.delete(key);
    }
  } finally {
    await Promise.all([...towns.values()].map((town) => town.close()));
  }
}
