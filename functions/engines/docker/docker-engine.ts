// Guests as containers of a Docker or Podman engine, by its API: a container and a volume each. Stores nothing itself.
import { HandrailError } from "../../../shared/errors.ts";
import type { Endpoint, Engine, EngineContext, FoundGuest, GuestSpec, ListedGuest } from "../engine.ts";
import { jailed } from "../jailed.ts";
import { answersAt, whenReady } from "../whether-ready.ts";
import {
  beginningOf,
  chosenOf,
  containerBody,
  containerOf,
  type GuestLabels,
  guestLabels,
  isGuest,
  labels,
  loopbackOf,
  newContainerOf,
  port,
  removalOf,
  saidIn,
  trialOf,
  volumeOf,
} from "./container-spec.ts";
import { dockerApi, Inspected, ListedContainers, Volume, Volumes } from "./docker-api.ts";
import { dockerSettings } from "./docker-settings.ts";
import { guestNetwork } from "./guest-network.ts";
import { foreignParts, gone, noImage, pull } from "./images.ts";
import { guestImages, lastImage } from "./other-image.ts";
import { profileOnce } from "./podman.ts";
import { endedAtOnce, endedFromOutside, startWithPort } from "./starting.ts";

/** After this long, a guest without a sandbox belongs to an edge that died. */
const leftoverMs = 10 * 60_000;
/** A stop lets what runs be recorded. */
const stopSeconds = 20;

/** Throws `unsupported` on a host without sockets, `invalid_request` for settings. */
export async function dockerEngine(context: EngineContext): Promise<Engine> {
  const { env, platform, owner, tokenOf, now } = context;
  const settings = dockerSettings(env);
  const dial = await platform.dial?.();
  if (!dial) throw new HandrailError("unsupported", "The engine docker needs an edge on Node.");
  const api = dockerApi(dial(settings.address));
  const inside = (container: string) => dial(settings.address, container);
  // Ports that are published there are this machine's own.
  const isLocal = settings.address.startsWith("unix:");

  const inspect = (name: string) =>
    api
      .ask(Inspected, `/containers/${name}/json`, { absent: [404] })
      .then((found) => (isOurs(found) ? found : undefined));
  /** Whether its sandbox was made already or not yet. */
  const containerFor = async (guest: string) =>
    isGuest(guest)
      ? ((await inspect(containerOf(guest))) ?? (await inspect(newContainerOf(guest))))
      : undefined;
  const isOurs = (found: Inspected | undefined) => found?.Config.Labels?.[labels.owner] === owner;

  async function endpointOf(guest: string, found: Inspected): Promise<Endpoint | undefined> {
    if (!found.State.Running) return undefined;
    const headers = { authorization: `Bearer ${await tokenOf(guest)}` };
    // One per container run: connections to an earlier run lead nowhere.
    if (!isLocal) return { url: "http://guest", headers, fetch: inside(found.Id) };
    const bound = found.NetworkSettings.Ports?.[port]?.[0];
    return bound && { url: `http://${bound.HostIp}:${bound.HostPort}`, headers };
  }

  /** The endpoint of the guest under one of its names, once its server answers. */
  async function ready(guest: string, name: string, signal?: AbortSignal): Promise<Endpoint> {
    let starts = 3;
    return whenReady({
      fetch: context.fetch,
      elapsed: context.elapsed,
      signal,
      look: async () => {
        const found = await inspect(name);
        if (!found) throw new HandrailError("not_found", "The guest was removed while it started.");
        if (found.State.Running) return endpointOf(guest, found);
        starts -= 1;
        // Somebody ended it, or it went to sleep while the engine was busy: it is no fault of its own.
        if (starts === 0 || !endedFromOutside(found)) throw await endedAtOnce(api, found);
        await start(name);
        return undefined;
      },
    });
  }

  const profile = profileOnce(api, { platform, isLocal, jails: settings.size.jails });

  /** false = another call has made it. `trial`: without its volume. */
  async function make(
    guest: string,
    spec: Omit<GuestSpec, "name"> & { trial?: boolean; imageId?: string },
    name: string,
  ): Promise<boolean> {
    const image = spec.image ?? settings.image;
    const foreign =
      image === settings.image ? undefined : await foreignParts(api, spec.imageId ?? image, settings.image);
    const file = await profile();
    const body = containerBody({
      ...{ ...spec, name: guest, image, owner, env, size: settings.size },
      ...(isLocal ? { publishedAt: platform.loopbacks ? loopbackOf(guest) : "127.0.0.1" } : {}),
      token: await tokenOf(guest),
      networkId: await guestNetwork(api),
      ...(foreign ? { foreign } : {}),
      ...(file ? { profileFile: file } : {}),
    });
    const create = async () => {
      // Deleted while its image was fetched: the engine would make an empty volume, marked as nobody's.
      if (!spec.trial && !(await volume(volumeOf(guest)))) throw gone();
      return api.tell("POST", `/containers/create?name=${name}`, { body, absent: [404, 409] });
    };
    const first = await create();
    if (first !== 404) return first === 201;
    await pull(api, image);
    const second = await create();
    if (second === 404) throw noImage(image);
    return second === 201;
  }

  const saidBy = (own: GuestLabels) => saidIn(own, settings.network);
  /** Around its volume. */
  async function makeAgain(guest: string, left: Volume, name: string): Promise<boolean> {
    const [own, chosen] = [left.Labels ?? {}, await volume(chosenOf(guest))];
    return make(guest, { ...saidBy(own), ...(await lastImage(api, settings, own, chosen?.Labels)) }, name);
  }

  async function start(name: string): Promise<void> {
    const found = await inspect(name);
    if (!found) return;
    const { Id, State } = found;
    if (State.Paused) await api.tell("POST", `/containers/${Id}/unpause`, { absent: [404, 409] });
    else await startWithPort(api, Id);
  }

  const volumeFor = async (guest: string) => (isGuest(guest) ? volume(volumeOf(guest)) : undefined);
  async function volume(name: string): Promise<Volume | undefined> {
    const found = await api.ask(Volume, `/volumes/${name}`, { absent: [404] });
    return found?.Labels?.[labels.owner] === owner ? found : undefined;
  }

  /** Leaves alone what another secret made under that name. */
  async function remove(guest: string): Promise<void> {
    if (!isGuest(guest)) return;
    const names = [containerOf(guest), newContainerOf(guest), trialOf(guest)];
    const found = await Promise.all(names.map(inspect));
    const kept = await volume(volumeOf(guest));
    const mark = { Name: removalOf(guest), Labels: { [labels.owner]: owner, [labels.removed]: guest } };
    if (kept || found.some(Boolean)) await api.tell("POST", "/volumes/create", { body: mark });
    for (const container of found) if (container) await dropContainer(container.Id);
    if (kept) for (const each of [chosenOf(guest), kept.Name]) await dropVolume(each);
    if (await volume(mark.Name)) await dropVolume(mark.Name);
  }

  const dropContainer = (id: string) =>
    api.tell("DELETE", `/containers/${id}?force=1&v=1`, { absent: [404, 409] });
  const dropVolume = (name: string) => api.tell("DELETE", `/volumes/${name}?force=1`, { absent: [404] });

  /** What one creation made, unless another one with the same name has been kept since. The engine keeps volumes in use. */
  async function takeBack(guest: string, made: { container?: string; volume: boolean }): Promise<void> {
    if (made.container !== containerOf(guest) && (await inspect(containerOf(guest)))) return;
    const container = made.container && (await inspect(made.container));
    if (container) await dropContainer(container.Id);
    const left = made.volume && (await volume(volumeOf(guest)));
    if (left) await api.tell("DELETE", `/volumes/${left.Name}?force=1`, { absent: [404, 409] });
  }

  /** An edge ended while it made this one. With a container it is found among those. */
  async function endBeginning(guest: string): Promise<void> {
    if (!(await containerFor(guest))) await remove(guest);
    await dropVolume(beginningOf(guest));
  }

  /** One guest that cannot be removed does not keep the others. */
  async function orLogged(guest: string, tend: () => Promise<void>): Promise<void> {
    await tend().catch((error: unknown) => {
      const problem = error instanceof Error ? error.message : "unknown";
      context.log({ event: "tend_guest", engine: "docker", guest, problem });
    });
  }

  /** In a list of containers or volumes, those of this owner. */
  const filters = encodeURIComponent(JSON.stringify({ label: [`${labels.owner}=${owner}`] }));

  async function containers() {
    return (await api.ask(ListedContainers, `/containers/json?all=1&filters=${filters}`)) ?? [];
  }

  return {
    name: "docker",
    ...(settings.costPerHour === undefined ? {} : { costPerHour: settings.costPerHour }),

    async create(spec, signal) {
      const guest = spec.name;
      const kept = await inspect(containerOf(guest));
      const left = kept ? undefined : await volume(volumeOf(guest));
      const hadVolume = kept !== undefined || left !== undefined;
      // Looked for in this order: the mark of a creation is removed once its container is there.
      const isBegun = left && ((await volume(beginningOf(guest))) ?? (await inspect(newContainerOf(guest))));
      // Somebody removed its container: under a new one's name `tend` would remove it with its files.
      const lost = isBegun ? undefined : left;
      const name = kept || lost ? containerOf(guest) : newContainerOf(guest);
      let made = false;
      try {
        if (lost) made = await makeAgain(guest, lost, name);
        else if (!kept) {
          const own = guestLabels({ ...spec, owner, image: spec.image ?? settings.image });
          const begun = { [labels.owner]: owner, [labels.begun]: String(now()) };
          if (!hadVolume)
            await api.tell("POST", "/volumes/create", { body: { Name: beginningOf(guest), Labels: begun } });
          await api.tell("POST", "/volumes/create", { body: { Name: volumeOf(guest), Labels: own } });
          made = await make(guest, spec, name);
          // Also that of an earlier creation, which ended before its container was made.
          await dropVolume(beginningOf(guest));
        }
        await start(name);
        const endpoint = await ready(guest, name, signal);
        // Here too: a failure here removes only what this creation made.
        if (settings.size.jails) await jailed(context.fetch, endpoint);
        return { guest, endpoint, existed: !made };
      } catch (error) {
        await takeBack(guest, { ...(made ? { container: name } : {}), volume: !hadVolume })
          .then(() => dropVolume(beginningOf(guest)))
          .catch(() => undefined);
        throw error;
      }
    },

    async keep(guest) {
      const made = await inspect(newContainerOf(guest));
      const name = encodeURIComponent(containerOf(guest));
      if (made) await api.tell("POST", `/containers/${made.Id}/rename?name=${name}`, { absent: [404, 409] });
      // Another creation of that name failed later than this one was ready, and took back what it had made.
      if (!(await inspect(containerOf(guest))))
        throw new HandrailError("sandbox_unreachable", "The guest was removed while it was made. Try again.");
    },

    async find(guest): Promise<FoundGuest> {
      const found = await containerFor(guest);
      if (!found) return { state: (await volumeFor(guest)) ? "asleep" : "gone" };
      if (!found.State.Running || found.State.Paused) return { state: "asleep" };
      const endpoint = await endpointOf(guest, found);
      if (!endpoint || !(await answersAt(context.fetch, endpoint))) return { state: "starting" };
      const image = found.Config.Labels?.[labels.image];
      return { state: "ready", endpoint, ...(image && image !== settings.image ? { image } : {}) };
    },

    async wake(guest) {
      const found = await containerFor(guest);
      const name = found?.Id ?? containerOf(guest);
      if (!found) {
        const left = await volumeFor(guest);
        if (!left) throw gone();
        // Somebody removed the container: its files and its journal are in the volume.
        await makeAgain(guest, left, name);
      }
      await start(name);
      return ready(guest, name);
    },

    async sleep(guest) {
      const found = await containerFor(guest);
      if (found)
        await api.tell("POST", `/containers/${found.Id}/stop?t=${stopSeconds}`, { absent: [304, 404] });
    },

    remove,
    images: guestImages({ api, settings, fetch: context.fetch, inspect, saidBy, make, start, ready }),

    async list(): Promise<ListedGuest[]> {
      return (await containers()).flatMap(({ Names, State, Created, Labels }) => {
        const [, guest] = /^\/handrail-(?:new-)?([a-z0-9]+)$/i.exec(Names[0] ?? "") ?? [];
        if (!guest) return [];
        const state = State === "running" ? "ready" : "asleep";
        const { workspace, person } = saidBy(Labels ?? {});
        return [{ guest, state, createdAt: Created * 1_000, workspace, person }];
      });
    },

    async tend() {
      for (const { Id, Names, Created, Labels } of await containers()) {
        const trial = Labels?.[labels.trial];
        const guest = trial ?? /^\/handrail-new-([a-z0-9]+)$/i.exec(Names[0] ?? "")?.[1];
        if (!guest || now() - Created * 1_000 <= leftoverMs) continue;
        await orLogged(guest, async () => {
          // A trial has no volume, and the volume of an existing guest is in use: only the container is left over.
          if (trial || (await inspect(containerOf(guest)))) await dropContainer(Id);
          else await remove(guest);
        });
      }
      const marks = await api.ask(Volumes, `/volumes?filters=${filters}`);
      for (const { Name, Labels } of marks?.Volumes ?? []) {
        const removed = Labels?.[labels.removed];
        if (removed) await orLogged(removed, () => remove(removed));
        const [, begun] = /^handrail-begun-(\w+)$/.exec(Name) ?? [];
        if (begun && now() - Number(Labels?.[labels.begun]) > leftoverMs)
          await orLogged(begun, () => endBeginning(begun));
      }
    },
  };
}
