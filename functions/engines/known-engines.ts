// The engines that HANDRAIL_ENGINE names. Each is loaded when the first request needs it.
import { HandrailError } from "../../shared/errors.ts";
import { type Engine, type EngineContext, type EngineName, engineNames } from "./engine.ts";

/** In the order of the setting. The first is used for sessions that choose none. Throws `invalid_request`. */
export function engineNamesIn(setting: string | undefined): readonly [EngineName, ...EngineName[]] {
  const named = (setting ?? "").split(/[\s,]+/).filter((text) => text !== "");
  const names = named.map((text) => {
    const name = engineNames.find((known) => known === (text === "local" ? "here" : text));
    if (name) return name;
    throw new HandrailError(
      "invalid_request",
      `HANDRAIL_ENGINE names ${JSON.stringify(text)}; it takes ${engineNames.join(", ")}, several of them separated by commas.`,
    );
  });
  const [first = "here", ...rest] = new Set(names);
  return [first, ...rest];
}

type Load = (context: EngineContext) => Promise<Engine>;

/** Each import is written out, so that bundlers find it. */
const loads: Readonly<Record<Exclude<EngineName, "here">, Load>> = {
  docker: async (context) => (await import("./docker/docker-engine.ts")).dockerEngine(context),
  cloudflare: async (context) =>
    (await import("./cloudflare/cloudflare-engine.ts")).cloudflareEngine(context),
  e2b: async (context) => (await import("./e2b/e2b-engine.ts")).e2bEngine(context),
};

/**
 * Throws `invalid_request` if settings are missing, and `unsupported` if the edge's host cannot reach the
 * engine.
 */
export function loadEngine(name: Exclude<EngineName, "here">, context: EngineContext): Promise<Engine> {
  return loads[name](context);
}
