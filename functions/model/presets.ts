// Providers that are recognised by the name of their key variable: their address, their models and prices, and the
// features that they refuse. Windows and prices are from models.dev (MIT), commit f3fc692, 2026-07-02. Also names the
// settings for messages about a provider.
import type { ModelSettings, Provider, Traits } from "./provider.ts";

export interface Preset {
  id: string;
  label: string;
  keyVariable: string;
  baseUrl: string;
  /**
   * Id, context window in tokens, and US dollars for a million tokens of input, output and cached input. The first
   * model is the default.
   */
  models: readonly (readonly [id: string, window: number, input: number, output: number, cached: number])[];
  images?: false;
  traits: Traits;
}

/**
 * The part of a larger window that is used, unless HANDRAIL_CONTEXT_WINDOW says more: a prompt of a million tokens
 * costs dollars in every round, and OpenAI, Google and xAI double their prices above 200,000 to 272,000 tokens.
 */
const usedWindow = 200_000;

/** In the order in which they are offered; a provider configured by its address comes before them. */
export const presets: readonly Preset[] = [
  {
    id: "openai",
    label: "OpenAI",
    keyVariable: "OPENAI_API_KEY",
    baseUrl: "https://api.openai.com/v1",
    models: [
      ["gpt-4.1-mini", 1_047_576, 0.4, 1.6, 0.1],
      ["gpt-4.1", 1_047_576, 2, 8, 0.5],
      ["gpt-5.4-mini", 400_000, 0.75, 4.5, 0.075],
      ["gpt-5.4", 1_050_000, 2.5, 15, 0.25],
      ["gpt-5.5", 1_050_000, 5, 30, 0.5],
    ],
    traits: {
      outputField: "max_completion_tokens",
      // Chat completions do not accept tools for the newer reasoning models: openai/openai-openapi#541 (2026-05),
      // BerriAI/litellm#34569 (2026-07). Only the Responses API keeps their reasoning between calls.
      wire: { name: "responses", models: /^(gpt-[5-9]|o[1-9]|codex)/ },
      // https://platform.openai.com/docs/guides/prompt-caching (read 2026-11).
      cacheKey: true,
    },
  },
  {
    id: "anthropic",
    label: "Anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrl: "https://api.anthropic.com/v1",
    models: [
      ["claude-sonnet-5", 1_000_000, 2, 10, 0.2],
      ["claude-opus-4-8", 1_000_000, 5, 25, 0.5],
      ["claude-haiku-4-5", 200_000, 1, 5, 0.1],
    ],
    traits: {
      // It also accepts chat completions, but without reasoning and caching.
      // https://docs.anthropic.com/en/api/openai-sdk (read 2026-11)
      wire: { name: "messages" },
    },
  },
  {
    id: "openrouter",
    label: "OpenRouter",
    keyVariable: "OPENROUTER_API_KEY",
    baseUrl: "https://openrouter.ai/api/v1",
    models: [
      ["anthropic/claude-sonnet-5", 1_000_000, 2, 10, 0.2],
      ["deepseek/deepseek-v4-flash", 1_048_575, 0.098, 0.196, 0.02],
      ["google/gemini-3.5-flash", 1_048_576, 1.5, 9, 0.15],
    ],
    traits: {
      // Its list of models needs no key, so the key is checked here. https://openrouter.ai/docs/api-reference/limits
      keyCheck: "/key",
      cacheControl: "anthropic/",
    },
  },
  {
    id: "gemini",
    label: "Gemini",
    keyVariable: "GEMINI_API_KEY",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    models: [
      ["gemini-3.5-flash", 1_048_576, 1.5, 9, 0.15],
      ["gemini-3.1-pro-preview", 1_048_576, 2, 12, 0.2],
      ["gemini-3.1-flash-lite", 1_048_576, 0.25, 1.5, 0.025],
    ],
    traits: {
      // Calls made by other models have no signature, and Gemini 3 refuses them without one: badlogic/pi-mono#1829
      // (2026-03).
      refuses: ["missing_signatures"],
    },
  },
  {
    id: "groq",
    label: "Groq",
    keyVariable: "GROQ_API_KEY",
    baseUrl: "https://api.groq.com/openai/v1",
    models: [
      ["openai/gpt-oss-120b", 131_072, 0.15, 0.6, 0.075],
      ["qwen/qwen3-32b", 131_072, 0.29, 0.59, 0.29],
    ],
    images: false,
    traits: {},
  },
  {
    id: "mistral",
    label: "Mistral",
    keyVariable: "MISTRAL_API_KEY",
    baseUrl: "https://api.mistral.ai/v1",
    models: [
      ["devstral-latest", 262_144, 0.4, 2, 0.4],
      ["mistral-large-latest", 262_144, 0.5, 1.5, 0.5],
    ],
    traits: {
      // It rejects unknown fields: charmbracelet/crush#1590 (2025-12).
      refuses: ["reasoning"],
    },
  },
  {
    id: "deepseek",
    label: "DeepSeek",
    keyVariable: "DEEPSEEK_API_KEY",
    baseUrl: "https://api.deepseek.com/v1",
    models: [
      ["deepseek-v4-flash", 1_000_000, 0.14, 0.28, 0.0028],
      ["deepseek-v4-pro", 1_000_000, 0.435, 0.87, 0.003625],
    ],
    images: false,
    traits: {
      // Answers by other models have no reasoning, and it rejects answers without it: anomalyco/opencode#24722
      // (2026-04).
      refuses: ["missing_reasoning"],
    },
  },
  {
    id: "xai",
    label: "xAI",
    keyVariable: "XAI_API_KEY",
    baseUrl: "https://api.x.ai/v1",
    models: [
      ["grok-build-0.1", 256_000, 1, 2, 0.2],
      ["grok-4.3", 1_000_000, 1.25, 2.5, 0.2],
    ],
    traits: {},
  },
];

/** Self-hosted servers by their default port. They serve the models that they have loaded. */
export const localServers: readonly { label: string; port: number; owner?: string }[] = [
  // https://docs.ollama.com/faq; https://lmstudio.ai/docs/app/api (both read 2026-11).
  { label: "Ollama", port: 11434 },
  { label: "LM Studio", port: 1234 },
  // Other programs often use these ports too, so the list of models must name the owner.
  { label: "llama.cpp", port: 8080, owner: "llamacpp" },
  { label: "vLLM", port: 8000, owner: "vllm" },
];

export function presetAt(baseUrl: string): Preset | undefined {
  const { host } = new URL(baseUrl);
  return presets.find((preset) => new URL(preset.baseUrl).host === host);
}

/** The known settings of a model; {} if it is not listed above. */
export function knownModel(preset: Preset | undefined, id: string): Partial<ModelSettings> {
  const row = preset?.models.find(([known]) => known === id);
  const images = preset?.images === false ? { images: false } : {};
  if (row === undefined) return images;
  const [, window, input, output, cached] = row;
  return { contextWindow: Math.min(window, usedWindow), price: { input, output, cached }, ...images };
}

interface SettingNames {
  key: string;
  model: string;
  url: string;
}

export function settingNames(provider: Provider): SettingNames {
  if (provider.id === "default")
    return { key: "OPENAI_API_KEY", model: "HANDRAIL_MODEL", url: "OPENAI_BASE_URL" };
  if (provider.demo) return { key: "OPENAI_API_KEY", model: "HANDRAIL_MODEL", url: "HANDRAIL_DEMO_URL" };
  const { keyVariable: key } = provider;
  // A provider that is configured by its key alone.
  if (key !== undefined && presets.some((preset) => preset.keyVariable === key && preset.id === provider.id))
    return { key, model: "HANDRAIL_MODEL", url: key };
  return {
    key: provider.keyVariable ?? "keyVariable in HANDRAIL_PROVIDERS",
    model: "HANDRAIL_PROVIDERS",
    url: "HANDRAIL_PROVIDERS",
  };
}
