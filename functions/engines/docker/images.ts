// The images of guests: fetches missing ones, and provides our server to images that do not have it.
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import { labels } from "./container-spec.ts";
import { type DockerApi, Volume } from "./docker-api.ts";

/** Time for an image of a few gigabytes over an ordinary connection. */
const fetchMs = 15 * 60_000;
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const ImageConfig = z.object({ Config: z.object({ Env: z.optional(z.nullable(z.array(z.string()))) }) });

/**
 * Everything that a container with an image other than our `own` needs. Fetches the image if it is missing.
 */
export async function foreignParts(
  api: DockerApi,
  image: string,
  own: string,
): Promise<{ program: string; path: string }> {
  const look = () => api.ask(ImageConfig, `/images/${encodeURIComponent(image)}/json`, { absent: [404] });
  const found = (await look()) ?? (await pull(api, image).then(look, () => undefined));
  if (!found)
    throw new HandrailError(
      "invalid_request",
      `The container engine has no image ${image} and could not fetch it.`,
    );
  const said = found.Config.Env?.find((line) => line.startsWith("PATH="))?.slice("PATH=".length);
  return { program: await programVolume(api, own), path: said || path };
}

export async function hasImage(api: DockerApi, id: string): Promise<boolean> {
  return (
    (await api.ask(ImageConfig, `/images/${encodeURIComponent(id)}/json`, { absent: [404] })) !== undefined
  );
}

/**
 * The volume with our server, for images that do not have it. The engine fills a new named volume with the
 * image's files at its mount point.
 */
async function programVolume(api: DockerApi, image: string): Promise<string> {
  const Image = z.object({ Id: z.string() });
  const found = await api.ask(Image, `/images/${encodeURIComponent(image)}/json`, { absent: [404] });
  if (!found) throw noImage(image);
  const name = `handrail-program-${found.Id.replace(/^sha256:/, "").slice(0, 12)}`;
  const filled = `${name}-filled`;
  if (await api.ask(Volume, `/volumes/${filled}`, { absent: [404] })) return name;
  const filler = `${name}-filler`;
  const HostConfig = { Binds: [`${name}:/opt/handrail`], NetworkMode: "none" };
  const Entrypoint = ["/opt/handrail/node", "--version"];
  const Labels = { [labels.program]: "1" };
  // A volume that a dead edge left may be incomplete. One that another call is filling is in use and is not
  // deleted.
  await api.tell("DELETE", `/volumes/${name}`, { absent: [404, 409] });
  await api.tell("POST", "/volumes/create", { body: { Name: name, Labels } });
  await api.tell("POST", `/containers/create?name=${filler}`, {
    body: { Image: found.Id, Entrypoint, Cmd: [], Labels, HostConfig },
    absent: [409],
  });
  // Docker copies the files when the container is made, Podman when it is started.
  await api.tell("POST", `/containers/${filler}/start`, { absent: [304, 404] });
  // Podman refuses to delete a container that another call is just stopping ("container state improper"), so
  // this waits until it has ended.
  await api.tell("POST", `/containers/${filler}/wait`, { absent: [404] });
  await api.tell("DELETE", `/containers/${filler}?force=1`, { absent: [404, 409] });
  await api.tell("POST", "/volumes/create", { body: { Name: filled, Labels } });
  return name;
}

export async function pull(api: DockerApi, image: string): Promise<void> {
  const tagged = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
  const init = { method: "POST", patienceMs: fetchMs };
  await api.text(`/images/create?fromImage=${encodeURIComponent(tagged)}`, init).catch(() => {
    throw noImage(image);
  });
}

export function gone(): HandrailError {
  return new HandrailError("not_found", "The guest is gone, and its volume with it.");
}

export function noImage(image: string): HandrailError {
  return new HandrailError(
    "invalid_request",
    `The container engine has no image ${image} and could not fetch it. Build it: docker build -f sandbox/deploy/Containerfile -t ${image} . or name another in HANDRAIL_IMAGE.`,
  );
}
