// Guests as containers of a Docker or Podman engine, through its API: one container and one volume each. It
// stores nothing itself.
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
  saidIn,
  volumeOf,
} from "./container-spec.ts";
import { dockerApi, Inspected, type Volume } from "./docker-api.ts";
import { dockerSettings } from "./docker-settings.ts";
import { guestNetworks } from "./guest-network.ts";
import { makeVolume } from "./guest-volume.ts";
import { foreignParts, gone, noImage, pull } from "./images.ts";
import { dockerLeftovers } from "./leftovers.ts";
import { guestImages, lastImage } from "./other-image.ts";
import { profileOnce } from "./podman.ts";
import { endedAtOnce, endedFromOutside, startWithPort } from "./starting.ts";

/** Time for the server to record running calls when the container is stopped. */
const stopSeconds = 20;

/** Throws `unsupported` on a host without sockets, and `invalid_request` for wrong settings. */
export async function dockerEngine(context: EngineContext): Promise<Engine> {
  const { env, platform, owner, tokenOf } = context;
  const settings = dockerSettings(env);
  const dial = await platform.dial?.();
  if (!dial) throw new HandrailError("unsupported", "The engine docker needs an edge on Node.");
  const api = dockerApi(dial(settings.address));
  const inside = (container: string) => dial(settings.address, container);
  // Published ports can be reached only if the engine is on this machine.
  const isLocal = settings.address.startsWith("unix:");

  const inspect = (name: string) =>
    api
      .ask(Inspected, `/containers/${name}/json`, { absent: [404] })
      .then((found) => (isOurs(found) ? found : undefined));
  /** The guest's container, whether its sandbox has been made or not. */
  const containerFor = async (guest: string) =>
    isGuest(guest)
      ? ((await inspect(containerOf(guest))) ?? (await inspect(newContainerOf(guest))))
      : undefined;
  const isOurs = (found: Inspected | undefined) => found?.Config.Labels?.[labels.owner] === owner;
  const networks = guestNetworks({ api, owner, range: settings.addresses });
  const leftovers = dockerLeftovers({ ...context, api, networks, inspect, containerFor });
  const { volume } = leftovers;

  async function endpointOf(guest: string, found: Inspected): Promise<Endpoint | undefined> {
    if (!found.State.Running) return undefined;
    const headers = { authorization: `Bearer ${await tokenOf(guest)}` };
    // Addressed by the id of the container, so that connections to a removed one lead nowhere.
    if (!isLocal) return { url: "http://guest", headers, fetch: inside(found.Id) };
    const bound = found.NetworkSettings.Ports?.[port]?.[0];
    return bound && { url: `http://${bound.HostIp}:${bound.HostPort}`, headers };
  }

  /** The endpoint of the guest's container `name`, once its server answers. */
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
        // Something stopped it, or it went to sleep while the engine was busy. It did not fail.
        if (starts === 0 || !endedFromOutside(found)) throw await endedAtOnce(api, found);
        await start(name);
        return undefined;
      },
    });
  }

  const profile = profileOnce(api, { platform, isLocal, jails: settings.size.jails });

  /** Makes the container; false = another call has made it. `trial`: without its volume. */
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
      networkId: await networks.idFor(guest),
      ...(foreign ? { foreign } : {}),
      ...(file ? { profileFile: file } : {}),
    });
    const create = async () => {
      // If the guest was deleted while its image was fetched, the engine would make an empty volume without
      // labels.
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
  /** Makes the guest's container again with its existing volume. */
  async function makeAgain(guest: string, left: Volume, name: string): Promise<boolean> {
    const [own, chosen] = [left.Labels ?? {}, await volume(chosenOf(guest))];
    return make(guest, { ...saidBy(own), ...(await lastImage(api, settings, own, chosen?.Labels)) }, name);
  }

  /**
   * Removes a container that cannot start: Docker lets the network of a stopped container be removed, and a
   * container whose removal began or failed cannot be started again.
   */
  async function startable(guest: string, found?: Inspected): Promise<Inspected | undefined> {
    if (!found || found.State.Running) return found;
    const isRemoved = /^(removing|dead)$/.test(found.State.Status);
    if (!isRemoved && found.HostConfig?.NetworkMode === (await networks.idFor(guest))) return found;
    await leftovers.dropContainer(found.Id);
    return undefined;
  }

  async function start(name: string): Promise<void> {
    const found = await inspect(name);
    if (!found) return;
    const { Id, State } = found;
    if (State.Paused) await api.tell("POST", `/containers/${Id}/unpause`, { absent: [404, 409] });
    else await startWithPort(api, Id);
  }

  const volumeFor = async (guest: string) => (isGuest(guest) ? volume(volumeOf(guest)) : undefined);
  return {
    name: "docker",
    ...(settings.costPerHour === undefined ? {} : { costPerHour: settings.costPerHour }),

    async create(spec, signal) {
      const guest = spec.name;
      const kept = await inspect(containerOf(guest));
      const left = kept ? undefined : await volume(volumeOf(guest));
      const hadVolume = kept !== undefined || left !== undefined;
      // The mark of a creation is looked up before the new container, because the mark is removed as soon as
      // that container exists.
      const isBegun = left && ((await volume(beginningOf(guest))) ?? (await inspect(newContainerOf(guest))));
      // The guest's container was removed. It is made again under its final name, because `tend` would remove
      // a container with a new guest's name, and its files.
      const lost = isBegun ? undefined : left;
      const name = kept || lost ? containerOf(guest) : newContainerOf(guest);
      let made = false;
      const undo = () => {
        const container = made ? name : undefined;
        return leftovers.takeBack(guest, { container, volume: !hadVolume, begun: Boolean(isBegun) });
      };
      try {
        if (lost) made = await makeAgain(guest, lost, name);
        else if (!kept) {
          const own = guestLabels({ ...spec, owner, image: spec.image ?? settings.image });
          if (!hadVolume) await leftovers.begin(guest);
          const isPodman = (await profile()) !== undefined;
          await makeVolume(api, { guest, labels: own, maxBytes: settings.size.volumeBytes, isPodman });
          made = await make(guest, spec, name);
          // This also removes the mark of an earlier creation that ended before its container was made.
          await leftovers.begun(guest);
        }
        await start(name);
        const endpoint = await ready(guest, name, signal);
        // The jail is checked here as well, so that a failure removes only what this creation made.
        if (settings.size.jails) await jailed(context.fetch, endpoint);
        return { guest, endpoint, takeBack: undo };
      } catch (error) {
        await undo().catch(() => undefined);
        throw error;
      }
    },

    async keep(guest) {
      const made = await inspect(newContainerOf(guest));
      const name = encodeURIComponent(containerOf(guest));
      if (made) await api.tell("POST", `/containers/${made.Id}/rename?name=${name}`, { absent: [404, 409] });
      // Another creation of the same guest failed after this one was ready and removed what it had made.
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
      const found = await startable(guest, await containerFor(guest));
      const name = found?.Id ?? containerOf(guest);
      if (!found) {
        const left = await volumeFor(guest);
        if (!left) throw gone();
        // The container was removed, but its files and its journal are in the volume.
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

    remove: leftovers.remove,
    images: guestImages({
      ...{ api, settings, fetch: context.fetch, inspect, saidBy, make, start, ready },
      dropContainer: leftovers.dropContainer,
    }),

    async list(): Promise<ListedGuest[]> {
      return (await leftovers.containers()).flatMap(({ Names, State, Created, Labels }) => {
        const [, guest] = /^\/handrail-(?:new-)?([a-z0-9]+)$/i.exec(Names[0] ?? "") ?? [];
        if (!guest) return [];
        const state = State === "running" ? "ready" : "asleep";
        const { workspace, person } = saidBy(Labels ?? {});
        return [{ guest, state, createdAt: Created * 1_000, workspace, person }];
      });
    },

    tend: leftovers.tend,
  };
}
