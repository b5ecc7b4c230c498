// The text of `--help`.
import type { Env } from "./env.ts";
import { options } from "./option-table.ts";
import { configFile, stateHome } from "./places.ts";

/** `command`: the command that a person types, for example `handrail`. `manual`: the page about all variables. */
export function help(command: string, version: string, manual: string, env: Env): string {
  const rows: [string, string][] = [
    ...options.map(({ name, value, optional, text }): [string, string] => [
      `--${name}${value === undefined ? "" : optional ? `[=${value}]` : ` ${value}`}`,
      text,
    ]),
    ["--version", "the version"],
    ["--help", "this text"],
  ];
  return `Handrail ${version}: a coding agent held in one hand

  ${command} [folder] [options]      serves the folder; the phone scans the code that is printed
  ${command} doctor [options]        checks this machine and says the one command that mends each fault
  ${command} service install [folder] [options]
                                 starts it with the system (systemd, launchd); also: uninstall, status

Without a folder, and without one in the settings, sessions work on copies of a sample project.

${rows.map(([name, text]) => `  ${name.padEnd(20)} ${text}`).join("\n")}

Settings are read from these places; the first one that names a setting wins:
  1. the options above
  2. the environment: PORT, HANDRAIL_WORKSPACE, HANDRAIL_MODEL, OPENAI_API_KEY, ANTHROPIC_API_KEY, …
  3. .env in the current folder: the model, its key and its limits; every setting where the file lies
     outside the folder to work in, since the agent can write what lies inside
  4. ${configFile(env)}: names of options or variables, as JSON
Every option is a variable too: ${options.map(({ name, variable }) => `--${name} ${variable}`).join(", ")}.
Sessions are kept in ${stateHome(env)} unless --state says otherwise.
All variables: ${manual}
`;
}
