// The images of guests: fetched where they are missing, and our server for those that do not have it.
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import { type DockerApi, Volume } from "./docker-api.ts";

/** A new named volume gets what the image has at its place: our server, for images that do not have it. */
export async function programVolume(api: DockerApi, image: string): Promise<string> {
  const Image = z.object({ Id: z.string() });
  const found = await api.ask(Image, `/images/${encodeURIComponent(image)}/json`, { absent: [404] });
  if (!found) throw noImage(image);
  const name = `handrail-program-${found.Id.replace(/^sha256:/, "").slice(0, 12)}`;
  if (await api.ask(Volume, `/volumes/${name}`, { absent: [404] })) return name;
  const filler = `${name}-filler`;
  const HostConfig = { Binds: [`${name}:/opt/handrail`] };
  await api.tell("POST", `/containers/create?name=${filler}`, {
    body: { Image: image, HostConfig },
    absent: [409],
  });
  await api.tell("DELETE", `/containers/${filler}?force=1`, { absent: [404, 409] });
  return name;
}

export async function pull(api: DockerApi, image: string): Promise<void> {
  const tagged = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
  await api.text(`/images/create?fromImage=${encodeURIComponent(tagged)}`, { method: "POST" }).catch(() => {
    throw noImage(image);
  });
}

export function noImage(image: string): HandrailError {
  return new HandrailError(
    "invalid_request",
    `The container engine has no image ${image} and could not fetch it. Build it: docker build -f sandbox/deploy/Containerfile -t ${image} . or name another in HANDRAIL_IMAGE.`,
  );
}
