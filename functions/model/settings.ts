// The names of the settings that a message about a provider may tell a person to change.
import { presets } from "./presets.ts";
import type { Provider } from "./provider.ts";

export interface SettingNames {
  key: string;
  model: string;
  url: string;
}

export function settingNames(provider: Provider): SettingNames {
  if (provider.id === "default")
    return { key: "OPENAI_API_KEY", model: "HANDRAIL_MODEL", url: "OPENAI_BASE_URL" };
  if (provider.demo) return { key: "OPENAI_API_KEY", model: "HANDRAIL_MODEL", url: "HANDRAIL_DEMO_URL" };
  const { keyVariable: key } = provider;
  // One that is known by its key: nothing else configures it.
  if (key !== undefined && presets.some((preset) => preset.keyVariable === key && preset.id === provider.id))
    return { key, model: "HANDRAIL_MODEL", url: key };
  return {
    key: provider.keyVariable ?? "keyVariable in HANDRAIL_PROVIDERS",
    model: "HANDRAIL_PROVIDERS",
    url: "HANDRAIL_PROVIDERS",
  };
}
