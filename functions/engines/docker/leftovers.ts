// Removes guests, what failed creations made, and what edges that died left. Touches only what this owner's
// edges made.
import { HandrailError } from "../../../shared/errors.ts";
import type { EngineContext } from "../engine.ts";
import {
  beginningOf,
  chosenOf,
  containerOf,
  isGuest,
  labels,
  newContainerOf,
  removalOf,
  trialOf,
  volumeOf,
} from "./container-spec.ts";
import { type DockerApi, type Inspected, ListedContainers, Volume, Volumes } from "./docker-api.ts";
import type { guestNetworks } from "./guest-network.ts";

/** A guest without a sandbox that is older than this belongs to an edge that died. */
const leftoverMs = 10 * 60_000;
/** How many times to request a container's removal while another call that removes it fails. */
const removalTries = 3;

/** The things that one creation made. */
interface Made {
  /** The container's name. */
  container: string | undefined;
  volume: boolean;
  /** true = an earlier creation, which did not finish, began the volume. */
  begun: boolean;
}

interface LeftoversOptions extends Pick<EngineContext, "owner" | "now" | "log"> {
  api: DockerApi;
  networks: ReturnType<typeof guestNetworks>;
  /** The container of that name, if it belongs to this owner. */
  inspect(name: string): Promise<Inspected | undefined>;
  /** The guest's container, whether its sandbox has been made or not. */
  containerFor(guest: string): Promise<Inspected | undefined>;
}

export function dockerLeftovers(options: LeftoversOptions) {
  const { api, networks, owner, now, log, inspect, containerFor } = options;
  /** Limits a list of containers or volumes to those of this owner. */
  const filters = encodeURIComponent(JSON.stringify({ label: [`${labels.owner}=${owner}`] }));

  async function containers() {
    return (await api.ask(ListedContainers, `/containers/json?all=1&filters=${filters}`)) ?? [];
  }

  async function volume(name: string): Promise<Volume | undefined> {
    const found = await api.ask(Volume, `/volumes/${name}`, { absent: [404] });
    return found?.Labels?.[labels.owner] === owner ? found : undefined;
  }

  /** Never touches anything that another owner made under that name. */
  async function remove(guest: string): Promise<void> {
    if (!isGuest(guest)) return;
    const names = [containerOf(guest), newContainerOf(guest), trialOf(guest)];
    const found = await Promise.all(names.map(inspect));
    const kept = await volume(volumeOf(guest));
    const mark = { Name: removalOf(guest), Labels: { [labels.owner]: owner, [labels.removed]: guest } };
    if (kept || found.some(Boolean)) await api.tell("POST", "/volumes/create", { body: mark });
    for (const container of found) if (container) await dropContainer(container.Id);
    if (kept) for (const each of [chosenOf(guest), kept.Name]) await dropVolume(each);
    await networks.remove(guest);
    if (await volume(mark.Name)) await dropVolume(mark.Name);
  }

  /**
   * Resolves when the container is gone. Until then its name and its volume are in use. The engine answers 409
   * while another call is removing it, and a wait also ends when that removal fails.
   */
  async function dropContainer(id: string): Promise<void> {
    for (let left = removalTries; left > 0; left -= 1) {
      if ((await api.tell("DELETE", `/containers/${id}?force=1&v=1`, { absent: [404, 409] })) !== 409) return;
      await api.tell("POST", `/containers/${id}/wait?condition=removed`, { absent: [404] });
    }
    throw new HandrailError(
      "sandbox_unreachable",
      "The container engine has not finished removing the guest's container. Try again in a minute.",
    );
  }
  const dropVolume = (name: string) => api.tell("DELETE", `/volumes/${name}?force=1`, { absent: [404] });

  /**
   * Removes what one creation made, unless another creation of the same name has been kept since. The engine
   * keeps volumes that are in use.
   */
  async function takeBack(guest: string, made: Made): Promise<void> {
    if (made.container !== containerOf(guest) && (await inspect(containerOf(guest)))) return;
    // If this edge dies in the middle, as an earlier one may have, a later one finds the volume by this mark.
    if (made.volume || (made.container && made.begun)) await begin(guest);
    const container = made.container && (await inspect(made.container));
    if (container) await dropContainer(container.Id);
    const left = made.volume && (await volume(volumeOf(guest)));
    if (left) await api.tell("DELETE", `/volumes/${left.Name}?force=1`, { absent: [404, 409] });
    if (!(await volume(volumeOf(guest)))) await networks.remove(guest);
    if (made.volume) await begun(guest);
  }

  /** Marks a guest whose volume is made before its container. */
  async function begin(guest: string): Promise<void> {
    const Labels = { [labels.owner]: owner, [labels.begun]: String(now()) };
    await api.tell("POST", "/volumes/create", { body: { Name: beginningOf(guest), Labels } });
  }

  /** Removes the mark: the guest now has a container by which it is found. */
  const begun = (guest: string) => dropVolume(beginningOf(guest));

  /** Ends a creation whose edge died before it made a container. Containers are handled separately. */
  async function endBeginning(guest: string): Promise<void> {
    if (!(await containerFor(guest))) await remove(guest);
    await begun(guest);
  }

  /** A guest that cannot be removed must not keep the others from being removed. */
  async function orLogged(guest: string, tend: () => Promise<void>): Promise<void> {
    await tend().catch((error: unknown) => {
      const problem = error instanceof Error ? error.message : "unknown";
      log({ event: "tend_guest", engine: "docker", guest, problem });
    });
  }

  async function tend(): Promise<void> {
    for (const { Id, Names, Created, Labels } of await containers()) {
      const trial = Labels?.[labels.trial];
      const guest = trial ?? /^\/handrail-new-([a-z0-9]+)$/i.exec(Names[0] ?? "")?.[1];
      if (!guest || now() - Created * 1_000 <= leftoverMs) continue;
      await orLogged(guest, async () => {
        // A trial has no volume, and the volume of an existing guest is in use. Only the container is a
        // leftover.
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
    for (const guest of await networks.madeBefore(now() - leftoverMs))
      if (!(await containerFor(guest)) && !(await volume(volumeOf(guest))))
        await orLogged(guest, () => networks.remove(guest));
  }

  return { volume, containers, dropContainer, remove, takeBack, begin, begun, tend };
}
