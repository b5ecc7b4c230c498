// What is wrong with what a person asked for.

/** The message is one sentence that names the setting and how to mend it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
