// What `npm start` prints: how to pair, which model is served, how commands are isolated, and which workspace is used.
import { networkInterfaces } from "node:os";
import encodeQR from "qr";
import type { Config } from "../../shared/api.ts";
import type { ModelChoice } from "./model.ts";
import type { LaunchSettings } from "./settings.ts";

/** The address at which a phone finds the app: the public URL, or the LAN address if bound to one, or `baseUrl`. */
export function phoneUrl(settings: Pick<LaunchSettings, "publicUrl" | "host">, baseUrl: string): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl;
  if (settings.host !== "0.0.0.0" && settings.host !== "::") return baseUrl;
  const lan = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((address) => address.family === "IPv4" && !address.internal);
  return `http://${lan?.address ?? "127.0.0.1"}:${new URL(baseUrl).port}`;
}

/**
 * `config`: undefined if an identity proxy is configured, because without it the edge tells this process nothing more.
 * `notes`: further lines at the end.
 */
export function banner(
  settings: LaunchSettings,
  baseUrl: string,
  config: Config | undefined,
  model: ModelChoice["kind"],
  notes: readonly string[] = [],
): string {
  const pairingUrl = `${phoneUrl(settings, baseUrl)}/#pair=${settings.token}`;
  return [
    "",
    "Handrail: a coding agent held in one hand",
    "",
    encodeQR(pairingUrl, "ascii").trimEnd(),
    "",
    `pair       ${pairingUrl}`,
    ...(config
      ? [`model      ${modelInWords(config, model)}`, `sandbox    ${isolationInWords(config)}`]
      : ["access     through the identity proxy only: beside the token it has to sign each request"]),
    `workspace  ${settings.workspace ?? "none set: every session gets its own copy of the sample project"}`,
    `edge       ${settings.runtime}`,
    ...(settings.stateIsTemporary
      ? [
          `state      ${settings.stateDir}: the home folder cannot be written, so sessions are lost with temporary files; --state FOLDER keeps them`,
        ]
      : []),
    ...notes,
    "",
  ].join("\n");
}

function modelInWords({ providers }: Config, choice: ModelChoice["kind"]): string {
  const provider = providers[0];
  const model = provider?.models[0]?.id;
  if (choice === "demo")
    return "a scripted demo, not a real model; set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY, …) or OPENAI_BASE_URL for a real one";
  const problems = providers.flatMap(({ problem }) => (problem ? [`\n           PROBLEM: ${problem}`] : []));
  return `${provider?.label ?? "none"}${model ? `, ${model}` : ""}${problems.join("")}`;
}

function isolationInWords({ sandbox }: Config): string {
  if (sandbox.isolation === "bubblewrap") {
    const filter = sandbox.seccomp
      ? "with a seccomp filter"
      : "without a seccomp filter, which this machine does not take";
    return `commands run in a bubblewrap jail ${filter}; in plan mode the workspace is read-only and there is no network`;
  }
  return "no jail on this machine (bubblewrap is missing or refused): commands run as you; plan mode is limited to an allow-list";
}
