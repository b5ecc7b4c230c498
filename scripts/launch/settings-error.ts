// An error in the settings that a person gave.

/** The message is one sentence that names the setting and how to fix it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
