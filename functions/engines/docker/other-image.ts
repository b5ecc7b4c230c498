// Moves a guest to the image that its repository names. The image is tried first in a container without
// anything of the session; then the guest's own container is made again with its volume.
import { HandrailError } from "../../../shared/errors.ts";
import type { Network } from "../../../shared/network.ts";
import type { Endpoint, GuestImages } from "../engine.ts";
import { jailed } from "../jailed.ts";
import { chosenOf, containerOf, type GuestLabels, isGuest, labels, trialOf } from "./container-spec.ts";
import type { DockerApi, Inspected } from "./docker-api.ts";
import type { DockerSettings } from "./docker-settings.ts";
import { hasImage } from "./images.ts";

interface ImageSite {
  api: DockerApi;
  settings: DockerSettings;
  fetch: typeof fetch;
  inspect(name: string): Promise<Inspected | undefined>;
  /** The part of a spec that the labels contain. */
  saidBy(labels: GuestLabels): Omit<MadeAgain, "image" | "trial">;
  make(guest: string, spec: MadeAgain, name: string): Promise<boolean>;
  start(name: string): Promise<void>;
  ready(guest: string, name: string): Promise<Endpoint>;
  /** Resolves when the container is gone. */
  dropContainer(id: string): Promise<void>;
}

interface MadeAgain {
  network: Network;
  workspace: string;
  person?: string;
  image: string;
  imageId?: string;
  trial?: boolean;
}

const needs = "An image needs glibc, libstdc++ (not Alpine), a shell and git.";

export function guestImages(site: ImageSite): GuestImages {
  const { api, settings, inspect, make, start, ready } = site;

  async function removeContainer(name: string): Promise<void> {
    const found = await inspect(name);
    if (found) await site.dropContainer(found.Id);
  }

  async function specOf(guest: string, image: string) {
    if (!mayBe(image))
      throw new HandrailError("invalid_request", `HANDRAIL_IMAGES does not allow the image ${image}.`);
    const found = isGuest(guest) && (await inspect(containerOf(guest)));
    if (!found) throw new HandrailError("not_found", "There is no such guest, or it is not made yet.");
    const own = found.Config.Labels ?? {};
    return { found, spec: { ...site.saidBy(own), image }, isInIt: own[labels.image] === image };
  }

  const mayBe = (image: string) => isAllowed(settings, image);

  /**
   * Recorded for the case that the container is removed. The image's id is recorded too, because its name may
   * mean another image by then.
   */
  async function remember(guest: string, image: string, { Config, Image: id }: Inspected): Promise<void> {
    const Labels = {
      ...{ [labels.owner]: Config.Labels?.[labels.owner], [labels.image]: image },
      ...(id === undefined ? {} : { [labels.imageId]: id }),
    };
    await api.tell("DELETE", `/volumes/${chosenOf(guest)}`, { absent: [404] });
    await api.tell("POST", "/volumes/create", { body: { Name: chosenOf(guest), Labels } });
  }

  /**
   * Returns the image's id. Throws `invalid_request` if no session works in the image. `tend` removes a
   * container that an edge left with this name.
   */
  async function tried(guest: string, spec: MadeAgain): Promise<string | undefined> {
    const name = trialOf(guest);
    if (!(await make(guest, { ...spec, trial: true }, name)))
      throw new HandrailError(
        "invalid_request",
        "Its image is being changed already. Try again in a minute.",
      );
    try {
      await start(name);
      const endpoint = await ready(guest, name);
      if (settings.size.jails) await jailed(site.fetch, endpoint);
      await sample(site.fetch, endpoint);
      return (await inspect(name))?.Image;
    } catch (error) {
      // `not_found` means that the guest is being deleted.
      if (!(error instanceof HandrailError) || /sandbox_unreachable|not_found/.test(error.code)) throw error;
      const words = `No session works in the image ${spec.image}. ${needs} It said: ${error.message}`;
      throw new HandrailError("invalid_request", words);
    } finally {
      await removeContainer(name).catch(() => undefined);
    }
  }

  return {
    own: settings.image,
    mayBe,
    async try(guest, image) {
      const { spec, isInIt } = await specOf(guest, image);
      return isInIt || image === settings.image ? undefined : tried(guest, spec);
    },
    async use(guest, image, imageId) {
      const { found, spec: named, isInIt } = await specOf(guest, image);
      const spec = { ...named, ...(imageId === undefined ? {} : { imageId }) };
      const name = containerOf(guest);
      if (!isInIt) {
        // Running calls are recorded first, as before a sleep.
        await api.tell("POST", `/containers/${found.Id}/stop?t=20`, { absent: [304, 404] });
        await removeContainer(name);
        // Another edge may have woken the guest meanwhile, in its old image.
        if (!(await make(guest, spec, name)) && !(await specOf(guest, image)).isInIt)
          throw new HandrailError("sandbox_unreachable", "The sandbox woke in its old image. Try again.");
      }
      const made = await inspect(name);
      if (made) await remember(guest, image, made);
      await start(name);
      return ready(guest, name);
    },
  };
}

/**
 * The image for a guest whose container was removed: exactly the image that the person last allowed, if the
 * engine still has it and the operator still allows its name. Otherwise it is the guest's first image, and
 * the phone asks again.
 */
export async function lastImage(
  api: DockerApi,
  settings: DockerSettings,
  first: GuestLabels,
  chosen?: GuestLabels | null,
): Promise<Pick<MadeAgain, "image" | "imageId">> {
  const { [labels.image]: image, [labels.imageId]: imageId } = chosen ?? {};
  // Used by name and not by id, so that the guest gets the new image if the operator has updated it.
  if (image === settings.image) return { image };
  if (image && imageId && isAllowed(settings, image) && (await hasImage(api, imageId)))
    return { image, imageId };
  return { image: first[labels.image] || settings.image };
}

function isAllowed(settings: DockerSettings, image: string): boolean {
  return image === settings.image || settings.mayBe(image);
}

/** Makes a session of the sample project in the container. Its first snapshot needs git in the image. */
async function sample(
  edge: typeof globalThis.fetch,
  { url, headers, fetch = edge }: Endpoint,
): Promise<void> {
  const body = JSON.stringify({ source: { sample: true } });
  const answer = await fetch(`${url}/v1/sandboxes`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const said = await answer.text();
  if (!answer.ok) throw new HandrailError("invalid_request", said.slice(0, 300));
  if (!said.includes('"baseSnapshot"'))
    throw new HandrailError("invalid_request", "snapshots are not possible, so git is missing.");
}
