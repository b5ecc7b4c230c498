// Which model providers the server offers, read once from its configuration. The phone only ever names their ids.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";

/** `auto` = find out: what the provider declares, else native until it refuses. */
export const ProtocolSetting = z.enum(["native", "text", "auto"]);
export type ProtocolSetting = z.infer<typeof ProtocolSetting>;

/** How a model changes files: by row references, or by replacing text. */
const EditStyle = z.enum(["rows", "text"]);
export type EditStyle = z.infer<typeof EditStyle>;

const nonBlank = z.string().check(z.regex(/\S/, "must not be blank"));

const price = z.number().check(z.gte(0));
/** US dollars for a million tokens. */
const Price = z.strictObject({
  input: price,
  output: price,
  /** Input read from the provider's cache; as other input unless given. */
  cached: z.optional(price),
});

const ModelSettings = z.strictObject({
  id: nonBlank,
  /** In tokens, question and answer together. */
  contextWindow: z.number().check(z.int(), z.gte(1_000)),
  toolProtocol: z.optional(ProtocolSetting),
  /** Absent = rows. */
  edits: z.optional(EditStyle),
  /** null = never send one; absent = 0.1, dropped where the provider refuses it. */
  temperature: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(2)))),
  /** false = images are left out of requests, and a note tells the model. */
  images: z.optional(z.boolean()),
  price: z.optional(Price),
  /** How long the model may think before it says anything; absent = five minutes. */
  waitSeconds: z.optional(z.number().check(z.gte(5), z.lte(3_600))),
  /** true = the model itself sums up what is left out of its requests: one request more each time. */
  summary: z.optional(z.boolean()),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

export interface Provider {
  id: string;
  label: string;
  /** Without a slash at the end; `/chat/completions` is appended. */
  baseUrl: string;
  apiKey?: string;
  /** Name of the setting that holds the key, for messages. */
  keyVariable?: string;
  models: ModelSettings[];
  /** true = the scripted stand-in, to be called so wherever it appears. */
  demo: boolean;
}

const ListedProvider = z.strictObject({
  id: z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,60}$/, "1 to 60 of A-Z a-z 0-9 _ . -")),
  label: z.optional(nonBlank),
  baseUrl: nonBlank,
  /** Name of the environment variable that holds the key: the key itself does not belong in here. */
  keyVariable: z.optional(nonBlank),
  models: z.array(ModelSettings).check(z.minLength(1)),
});

/** Variables of PROTOCOL 0; an empty value counts as unset. */
export type EnvVariables = Readonly<Record<string, string | undefined>>;

const openAiUrl = "https://api.openai.com/v1";
const defaultOpenAiModel = "gpt-4.1-mini";
const defaultContextWindow = 128_000;

/**
 * The providers of `env`, the default one first; empty when none is configured.
 * `OPENAI_BASE_URL`/`OPENAI_API_KEY` with `HANDRAIL_MODEL` (several: separated by commas) and
 * `HANDRAIL_CONTEXT_WINDOW`, `HANDRAIL_PRICE`, `HANDRAIL_SUMMARY` and `HANDRAIL_EDITS`; `HANDRAIL_PROVIDERS` (a JSON list)
 * for more; `HANDRAIL_DEMO_URL` for the scripted demo. Throws `invalid_request` naming the variable.
 */
export function readProviders(env: EnvVariables): Provider[] {
  const providers = [...mainProvider(env), ...listedProviders(env), ...demoProvider(env)];
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

function mainProvider(env: EnvVariables): Provider[] {
  if (!env.OPENAI_BASE_URL && !env.OPENAI_API_KEY) return [];
  const baseUrl = httpUrl("OPENAI_BASE_URL", env.OPENAI_BASE_URL || openAiUrl);
  const isOpenAi = new URL(baseUrl).hostname === "api.openai.com";
  const ids = (env.HANDRAIL_MODEL ?? "").split(",").flatMap((id) => id.trim() || []);
  if (ids.length === 0 && !isOpenAi)
    throw invalid("HANDRAIL_MODEL", `is not set; name the model that ${baseUrl} serves`);
  const contextWindow = windowOf(env);
  const price = priceOf(env);
  const waitSeconds = waitOf(env);
  const summary = env.HANDRAIL_SUMMARY === "on" ? { summary: true } : {};
  return [
    {
      id: "default",
      label: labelOf(baseUrl),
      baseUrl,
      ...(env.OPENAI_API_KEY ? { apiKey: env.OPENAI_API_KEY } : {}),
      keyVariable: "OPENAI_API_KEY",
      models: (ids.length === 0 ? [defaultOpenAiModel] : ids).map((id) => ({
        id,
        contextWindow,
        ...price,
        ...summary,
        ...waitSeconds,
        ...editsOf(env),
      })),
      demo: false,
    },
  ];
}

function windowOf(env: EnvVariables): number {
  if (!env.HANDRAIL_CONTEXT_WINDOW) return defaultContextWindow;
  const tokens = Number(env.HANDRAIL_CONTEXT_WINDOW);
  if (Number.isInteger(tokens) && tokens >= 1_000) return tokens;
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

/** `2.5,10` or `2.5,10,1.25`: input, output, cached input. */
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
    return {
      ...listed,
      baseUrl,
      label: label ?? labelOf(baseUrl),
      ...(apiKey ? { apiKey } : {}),
      ...(keyVariable === undefined ? {} : { keyVariable }),
      demo: false,
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
          temperature: null,
        },
      ],
      demo: true,
    },
  ];
}

/** What a person reads: the host's name, or the product at a well-known address. */
function labelOf(baseUrl: string): string {
  const { hostname, port, host } = new URL(baseUrl);
  if (hostname === "api.openai.com") return "OpenAI";
  // https://docs.ollama.com/faq: Ollama binds 127.0.0.1 port 11434 by default.
  return port === "11434" ? "Ollama" : host;
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
