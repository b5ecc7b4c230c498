// Guests as containers of a Docker or Podman engine, by its API.
import { HandrailError } from "../../../shared/errors.ts";
import type { Engine, EngineContext } from "../engine.ts";

export function dockerEngine({ platform }: EngineContext): Engine {
  throw new HandrailError(
    "unsupported",
    platform.dial ? "Not yet." : "Docker is reached from Node and Deno alone.",
  );
}
