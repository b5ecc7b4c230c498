// What answers, in words. Pure.
import type { Config } from "../../shared/api.ts";
import type { ModelRef } from "../../shared/event.ts";

/** `chosen` undefined = what the server takes without being asked. */
export function modelInWords(config: Config | null, chosen: ModelRef | undefined): string {
  const first = config?.providers[0];
  if (chosen === undefined) {
    if (first === undefined) return "the server's own choice";
    return first.demo ? "Scripted demo" : `${first.models[0]?.id ?? "none"}, the server's own choice`;
  }
  const provider = config?.providers.find(({ id }) => id === chosen.provider);
  if (provider?.demo) return "Scripted demo";
  const known = provider?.models.some(({ id }) => id === chosen.id) ?? config === null;
  return `${chosen.id} · ${provider?.label ?? chosen.provider}${known ? "" : " · the server has it no more"}`;
}

/** "128k tokens". */
export function windowInWords(tokens: number): string {
  return `${Math.round(tokens / 1000)}k tokens of context`;
}
