// Checks the format of a state folder. The folder of a newer Handrail is not changed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFormat } from "../../shared/state-format.ts";
import { SettingsError } from "./settings-error.ts";

/** Throws SettingsError, before anything is written, if the folder's format is newer than ours. */
export function checkStateFormat(stateDir: string): void {
  const path = join(stateDir, "format");
  const kept = existsSync(path) ? Number(readFileSync(path, "utf8")) : undefined;
  if (kept !== undefined && !(kept <= stateFormat)) {
    throw new SettingsError(
      `The state folder "${stateDir}" was written by a newer Handrail (format ${kept}; this one reads up to ${stateFormat}); start that version, or choose another folder with --state.`,
    );
  }
  if (kept === undefined) writeFileSync(path, `${stateFormat}\n`, { mode: 0o600 });
}
