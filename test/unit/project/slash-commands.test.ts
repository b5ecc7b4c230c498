import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { folderCalls } from "../../../functions/inputs/project-commands.ts";
import { hints, parseCommand } from "../../../pwa/session/commands.ts";

const page = readFileSync(new URL("../../../docs/slash-commands.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = ""]) => cell);
const named = rows.flatMap((cell) => [...cell.matchAll(/`(\/[^`]+)`/g)].map(([, command = ""]) => command));

test("the page about slash commands names every command of the menu, and no others", () => {
  const begins = (command: string) => named.some((one) => one === command || one.startsWith(`${command} `));
  for (const { insert } of hints) expect(begins(insert.trim()), insert).toBe(true);
  for (const command of named) expect(parseCommand(command).kind, command).not.toMatch(/unknown|say/);
});

test("it names every folder whose commands and skills are in the menu", () => {
  for (const { args } of folderCalls((name) => name)) expect(page).toContain(`\`${args.path}\``);
});
