// Reads a project's hooks from its file. Reading them runs nothing.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { type Hook, type HooksState, HookTime, hooksGrant, type ProjectHooks } from "../../shared/hooks.ts";
import { hooksFile } from "../../shared/hooks-found.ts";
import { isRecord } from "../../shared/is-record.ts";
import { parsedJson } from "../../shared/parsed-json.ts";
import type { Deps } from "../deps.ts";
import { beginningOf } from "../model/body-reader.ts";
import { sha256Hex } from "../sha256.ts";

const maxFileChars = 64_000;
/** A person must be able to read all of them on a phone. */
const maxHooks = 20;
const maxCommandChars = 4_000;
/** A linter or formatter is done within this time; hooks run one after another. */
const hookMs = 60_000;
const longestMs = 600_000;

const Command = z.string().check(z.regex(/\S/, "must not be blank"), z.maxLength(maxCommandChars));
const HookEntry = z.union([
  Command,
  z.strictObject({
    command: Command,
    timeoutMs: z.optional(z.number().check(z.int(), z.positive(), z.lte(longestMs))),
  }),
]);

/**
 * undefined = there is no such file, or it contains no hooks. Throws `invalid_request` with a sentence if they cannot
 * be read.
 */
export async function readHooks(
  { sandbox }: Pick<Deps, "sandbox">,
  sandboxId: string,
): Promise<ProjectHooks | undefined> {
  let text: string;
  try {
    const file = await sandbox.raw(sandboxId, `file?path=${encodeURIComponent(hooksFile)}`);
    text = await beginningOf(file, maxFileChars + 1);
  } catch (error) {
    if (error instanceof HandrailError && error.code === "not_found") return undefined;
    throw error;
  }
  return hooksIn(text);
}

/** The hooks in the file's text; undefined if there are none. */
export async function hooksIn(text: string): Promise<ProjectHooks | undefined> {
  const hooks = parsed(text);
  return hooks.length === 0 ? undefined : { hash: await sha256Hex(JSON.stringify(hooks)), hooks };
}

/** The hooks as a client shows them. */
export async function hooksState(deps: Pick<Deps, "sandbox">, sandboxId: string): Promise<HooksState> {
  try {
    const found = await readHooks(deps, sandboxId);
    if (!found) return { hash: "", hooks: [], allowed: false };
    const { grants = [] } = await deps.sandbox.get(sandboxId);
    return { ...found, allowed: areAllowed(found, grants) };
  } catch (error) {
    if (!(error instanceof HandrailError) || error.code !== "invalid_request") throw error;
    return { hash: "", hooks: [], allowed: false, problem: error.message };
  }
}

/** Whether the person allowed exactly these hooks. */
export function areAllowed(
  { hash }: ProjectHooks,
  grants: readonly { risk: string; program: string; subcommand: string }[],
): boolean {
  const { risk, subcommand } = hooksGrant(hash);
  return grants.some((grant) => grant.risk === risk && grant.subcommand === subcommand);
}

function parsed(text: string): Hook[] {
  if (text.length > maxFileChars) throw invalid("is longer than 64,000 characters");
  const config = parsedJson(text);
  if (!isRecord(config)) throw invalid("is no JSON object");
  if (config.hooks === undefined) return [];
  if (!isRecord(config.hooks)) throw invalid("hooks: must be an object");
  const hooks = Object.entries(config.hooks).flatMap(([name, entries]) => hooksAt(name, entries));
  if (hooks.length > maxHooks) throw invalid(`hooks: at most ${maxHooks} commands`);
  return hooks;
}

function hooksAt(name: string, said: unknown): Hook[] {
  const when = z.safeParse(HookTime, name);
  if (!when.success)
    throw invalid(`hooks: ${JSON.stringify(name)} is none of ${HookTime.def.values.join(", ")}`);
  const entries = z.safeParse(z.array(HookEntry), said);
  if (!entries.success)
    throw invalid(
      `hooks.${name}: write a list of commands, or of {command, timeoutMs} with at most ${longestMs} ms`,
    );
  return entries.data.map((entry) => {
    const { command, timeoutMs = hookMs } = typeof entry === "string" ? { command: entry } : entry;
    return { when: when.data, command, timeoutMs };
  });
}

function invalid(why: string): HandrailError {
  return new HandrailError("invalid_request", `${hooksFile} ${why}.`);
}
