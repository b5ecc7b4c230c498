// A problem with the settings that a person gave.

/** The message is one sentence that names the setting and how to mend it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
