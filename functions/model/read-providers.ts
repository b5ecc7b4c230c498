// Reads the server's model providers from its configuration, once, and decides by their names which models are small:
// these get fewer tools and shorter texts in the text form.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { knownModel, localServers, type Preset, presetAt, presets } from "./presets.ts";
import { ModelSettings, nonBlank, Price, type Provider, WireName } from "./provider.ts";

const ListedProvider = z.strictObject({
  id: z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,60}$/, "1 to 60 of A-Z a-z 0-9 _ . -")),
  label: z.optional(nonBlank),
  baseUrl: nonBlank,
  /** Name of the environment variable that contains the key; the key itself must not be written here. */
  keyVariable: z.optional(nonBlank),
  models: z.array(ModelSettings).check(z.minLength(1)),
});

/** Variables of PROTOCOL 0; an empty value counts as unset. */
export type EnvVariables = Readonly<Record<string, string | undefined>>;

const openAiUrl = "https://api.openai.com/v1";
const defaultContextWindow = 128_000;

/**
 * The providers of `env`, the default one first; empty if none is configured:
 * - `OPENAI_BASE_URL`/`OPENAI_API_KEY`, or the first of the keys in `presets`, with `HANDRAIL_MODEL` (several:
 *   separated by commas) and `HANDRAIL_CONTEXT_WINDOW`, `HANDRAIL_PRICE`, `HANDRAIL_SUMMARY`, `HANDRAIL_WIRE`,
 *   `HANDRAIL_WAIT` and `HANDRAIL_EDITS`
 * - the other keys of `presets`, and `HANDRAIL_PROVIDERS` (a JSON list)
 * - `HANDRAIL_DEMO_URL` for the scripted demo
 * Throws `invalid_request` naming the variable.
 */
export function readProviders(env: EnvVariables): Provider[] {
  const main = mainProvider(env);
  const listed = listedProviders(env);
  const known = presetProviders(env, [...main, ...listed]);
  const providers = [...main, ...known, ...listed, ...demoProvider(env)];
  const ids = new Set<string>();
  for (const { id } of providers) {
    if (ids.has(id))
      throw invalid(
        "HANDRAIL_PROVIDERS",
        `has the id ${JSON.stringify(id)} twice; give each provider its own`,
      );
    ids.add(id);
  }
  return providers;
}

/** The provider that is configured by an address or by OpenAI's key. */
function mainProvider(env: EnvVariables): Provider[] {
  if (!env.OPENAI_BASE_URL && !env.OPENAI_API_KEY) return [];
  const baseUrl = httpUrl("OPENAI_BASE_URL", env.OPENAI_BASE_URL || openAiUrl);
  const preset = presetAt(baseUrl);
  const ids = modelIds(env);
  if (ids.length === 0 && preset === undefined)
    throw invalid("HANDRAIL_MODEL", `is not set; name the model that ${baseUrl} serves`);
  return [
    {
      id: "default",
      label: labelOf(baseUrl),
      baseUrl,
      ...(env.OPENAI_API_KEY ? { apiKey: env.OPENAI_API_KEY } : {}),
      keyVariable: "OPENAI_API_KEY",
      models: configured(env, preset, ids.length > 0 ? ids : defaultIds(preset)),
      demo: false,
      ...(preset ? { traits: preset.traits } : {}),
    },
  ];
}

/**
 * Providers whose key is in the environment under its documented name. The settings of models apply only to the default
 * provider.
 */
function presetProviders(env: EnvVariables, before: readonly Provider[]): Provider[] {
  const taken = new Set(before.flatMap(({ id, keyVariable }) => [id, keyVariable]));
  const found = presets.filter(
    ({ id, keyVariable }) => env[keyVariable] && !taken.has(id) && !taken.has(keyVariable),
  );
  return found.map((preset, index) => {
    const { id, label, keyVariable, baseUrl, models, traits } = preset;
    const isDefault = index === 0 && !env.OPENAI_BASE_URL && !env.OPENAI_API_KEY;
    const wanted = isDefault ? modelIds(env) : [];
    const ids = wanted.length > 0 ? wanted : models.map(([model]) => model);
    const apiKey = env[keyVariable];
    return {
      ...{ id, label, baseUrl, keyVariable },
      ...(apiKey ? { apiKey } : {}),
      models: configured(isDefault ? env : {}, preset, ids),
      demo: false,
      traits,
    };
  });
}

function modelIds({ HANDRAIL_MODEL: text = "" }: EnvVariables): string[] {
  return text.split(",").flatMap((id) => id.trim() || []);
}

function defaultIds(preset: Preset | undefined): string[] {
  return preset?.models.slice(0, 1).map(([id]) => id) ?? [];
}

/** Models with their known settings, which the variables override. */
function configured(env: EnvVariables, preset: Preset | undefined, ids: readonly string[]): ModelSettings[] {
  const said = {
    ...windowOf(env),
    ...priceOf(env),
    ...(env.HANDRAIL_SUMMARY === "on" ? { summary: true } : {}),
    ...waitOf(env),
    ...editsOf(env),
    ...wireSaid(env),
  };
  return ids.map((id) => ({
    id,
    contextWindow: defaultContextWindow,
    ...smallModel(id),
    ...knownModel(preset, id),
    ...said,
  }));
}

function windowOf({ HANDRAIL_CONTEXT_WINDOW: text }: EnvVariables): { contextWindow?: number } {
  if (!text) return {};
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= 1_000) return { contextWindow: tokens };
  throw invalid("HANDRAIL_CONTEXT_WINDOW", "must be a whole number of tokens, 1000 or more");
}

function waitOf({ HANDRAIL_WAIT: text }: EnvVariables): Pick<ModelSettings, "waitSeconds"> {
  if (!text) return {};
  const parsed = z.safeParse(ModelSettings.shape.waitSeconds, Number(text));
  if (parsed.success) return { waitSeconds: parsed.data };
  throw invalid(
    "HANDRAIL_WAIT",
    "must be seconds, from 5 to 3600: how long a model may think before it answers",
  );
}

function editsOf({ HANDRAIL_EDITS: edits }: EnvVariables): Pick<ModelSettings, "edits"> {
  if (!edits) return {};
  if (edits === "rows" || edits === "text") return { edits };
  throw invalid("HANDRAIL_EDITS", "must be rows or text");
}

function wireSaid({ HANDRAIL_WIRE: text }: EnvVariables): Pick<ModelSettings, "wire"> {
  if (!text) return {};
  const parsed = z.safeParse(WireName, text);
  if (parsed.success) return { wire: parsed.data };
  throw invalid("HANDRAIL_WIRE", "must be chat, responses or messages");
}

/** `2.5,10` or `2.5,10,1.25`: the prices of input, output and cached input. */
function priceOf({ HANDRAIL_PRICE: text }: EnvVariables): Pick<ModelSettings, "price"> {
  if (!text) return {};
  const [input, output, cached] = text.split(",").map(Number);
  const parsed = z.safeParse(Price, { input, output, ...(cached === undefined ? {} : { cached }) });
  if (parsed.success) return { price: parsed.data };
  throw invalid(
    "HANDRAIL_PRICE",
    "must be US dollars for a million tokens, as input,output or input,output,cached input; for example 2.5,10,1.25",
  );
}

function listedProviders(env: EnvVariables): Provider[] {
  if (!env.HANDRAIL_PROVIDERS) return [];
  const parsed = z.safeParse(
    z.array(ListedProvider),
    parseVariable("HANDRAIL_PROVIDERS", env.HANDRAIL_PROVIDERS),
  );
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(
      "HANDRAIL_PROVIDERS",
      `is not a list of providers: ${issue?.path.join(".") || "value"}: ${issue?.message}`,
    );
  }
  return parsed.data.map(({ label, keyVariable, ...listed }) => {
    const baseUrl = httpUrl("HANDRAIL_PROVIDERS", listed.baseUrl);
    const apiKey = keyVariable === undefined ? undefined : env[keyVariable];
    const preset = presetAt(baseUrl);
    return {
      ...listed,
      models: listed.models.map((model) => ({
        ...smallModel(model.id),
        ...knownModel(preset, model.id),
        ...model,
      })),
      baseUrl,
      label: label ?? labelOf(baseUrl),
      ...(apiKey ? { apiKey } : {}),
      ...(keyVariable === undefined ? {} : { keyVariable }),
      demo: false,
      ...(preset ? { traits: preset.traits } : {}),
    };
  });
}

function demoProvider(env: EnvVariables): Provider[] {
  if (!env.HANDRAIL_DEMO_URL) return [];
  const url = httpUrl("HANDRAIL_DEMO_URL", env.HANDRAIL_DEMO_URL);
  return [
    {
      id: "demo",
      label: "Scripted demo",
      baseUrl: new URL(url).pathname === "/" ? `${url}/v1` : url,
      models: [
        {
          id: "scripted-demo",
          contextWindow: defaultContextWindow,
          toolProtocol: "native",
        },
      ],
      demo: true,
    },
  ];
}

/** The name that a person sees: the host, or the product at a well-known address. */
function labelOf(baseUrl: string): string {
  const { port, host } = new URL(baseUrl);
  const [local] = localServers.filter((server) => !server.owner && String(server.port) === port);
  return presetAt(baseUrl)?.label ?? local?.label ?? host;
}

function httpUrl(variable: string, text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw invalid(
      variable,
      `${JSON.stringify(text)} is not an http(s) URL; write it like https://api.example.com/v1`,
    );
  }
  return text.trim().replace(/\/+$/, "");
}

function parseVariable(variable: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(variable, "is not valid JSON");
  }
}

function invalid(variable: string, problem: string): HandrailError {
  return new HandrailError("invalid_request", `${variable} ${problem}.`);
}

/** Models up to this many billion parameters count as small. */
const smallBillions = 15;

/**
 * Families in Ollama's library whose names contain no size and whose default tag is a small model.
 * https://ollama.com/library (read 2026-11)
 */
const smallFamilies =
  /^(?:llama3(?:\.[12])?|llama2|codellama|mistral|mistral-openorca|openhermes|gemma[23n]?|codegemma|phi[34]?(?:-mini)?|qwen2(?:\.5)?(?:-coder)?|qwen3|deepseek-coder|starcoder2?|granite\S*-code|granite3\S*|stable-code|tinyllama|smollm2?|orca-mini|vicuna|zephyr|neural-chat|yi-coder|codeqwen|hermes3)(?::latest)?$/i;

/** The defaults for a small model: it edits by text, because row references cause it more errors. */
function smallModel(id: string): Pick<ModelSettings, "small" | "edits"> {
  const name = id.split("/").at(-1) ?? id;
  const [, billions] = /(?:^|[-_:.])(\d+(?:\.\d+)?)b(?:$|[-_.:])/i.exec(name) ?? [];
  // For "30b-a3b" the whole size counts: all of it is loaded, and the model knows more than its active part.
  const isSmall = billions === undefined ? smallFamilies.test(name) : Number(billions) <= smallBillions;
  return isSmall ? { small: true, edits: "text" } : {};
}
