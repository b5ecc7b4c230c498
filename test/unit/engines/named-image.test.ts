import { expect, test } from "vitest";
import { dockerSettings } from "../../../functions/engines/docker/docker-settings.ts";
import { imageIn, namedImage } from "../../../functions/engines/named-image.ts";

const files = (held: Readonly<Record<string, string>>) => async (path: string) => {
  const text = held[new URLSearchParams(path.split("?")[1]).get("path") ?? ""];
  return text === undefined ? new Response(null, { status: 404 }) : new Response(text);
};

test("a devcontainer.json with comments and extra commas names its image", () => {
  const text = `\ufeff// For "everybody"
{
  /* "image": "not/this" */
  "name": "with // in it, ] and \\" too",
  "image": "mcr.microsoft.com/devcontainers/python:3.12", // the newest
  "features": { "a": [1, 2,], },
}`;
  expect(imageIn(text)).toBe("mcr.microsoft.com/devcontainers/python:3.12");
});

test.each([
  ["a build of its own", '{"build": {"dockerfile": "Dockerfile"}}'],
  ["a variable", '{"image": "$IMAGE"}'],
  ["text with a blank", '{"image": "node:22 --privileged"}'],
  ["an option", '{"image": "--privileged"}'],
  ["a list", '["image"]'],
  ["half a file", '{"image": "node'],
  ["nothing", ""],
])("%s is not an image name", (_, text) => {
  expect(imageIn(text)).toBeUndefined();
});

test("Handrail's own settings take precedence over the devcontainer", async () => {
  const named = (held: Record<string, string>) => namedImage(files(held));
  const devcontainer = { ".devcontainer/devcontainer.json": '{"image": "node:22"}' };
  expect(await named(devcontainer)).toBe("node:22");
  expect(await named({ ".devcontainer.json": '{"image": "node:20"}' })).toBe("node:20");
  expect(await named({ ...devcontainer, ".handrail/config.json": '{"image": "ours:1"}' })).toBe("ours:1");
  expect(await named({ ...devcontainer, ".handrail/config.json": '{"hooks": {}}' })).toBe("node:22");
  expect(await named({})).toBe("");
});

test("an unclosed comment takes the rest of the file", () => {
  expect(imageIn('{"image": "node:22"} /* "')).toBe("node:22");
});

test("an endless file is read up to the size limit", async () => {
  let read = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      read += 1_024;
      controller.enqueue(new Uint8Array(1_024).fill(32));
    },
  });
  const ask = async (path: string) =>
    path.includes("handrail") ? new Response(endless) : new Response(null, { status: 404 });
  expect(await namedImage(ask)).toBe("");
  expect(read).toBeLessThan(70 * 1_024);
});

test.each([
  [undefined, "anything:1", true],
  ["0", "node:22", false],
  ["node, mcr.microsoft.com/devcontainers/*", "node:22", true],
  ["node, mcr.microsoft.com/devcontainers/*", "node", true],
  ["node, mcr.microsoft.com/devcontainers/*", "evil/node:22", false],
  ["node, mcr.microsoft.com/devcontainers/*", "node.evil.example/a", false],
  ["node, mcr.microsoft.com/devcontainers/*", "mcr.microsoft.com/devcontainers/go:1", true],
  ["node, mcr.microsoft.com/devcontainers/*", "mcrxmicrosoft.com/devcontainers/go:1", false],
  ["node:22", "node:22", true],
  ["node:22", "node:22-slim", false],
  ["localhost:5000/tools", "localhost:5000/tools:3", true],
  // The name before a port is that of a registry.
  ["node", "node:5000/evil/image", false],
  ["node", "node:22@sha256:0123", true],
])("HANDRAIL_IMAGES=%s and the image %s: %s", (setting, image, expected) => {
  expect(dockerSettings(setting === undefined ? {} : { HANDRAIL_IMAGES: setting }).mayBe(image)).toBe(
    expected,
  );
});
