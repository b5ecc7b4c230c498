// The tools of servers in one turn: their definitions for the model, whether the person is asked, and the call. A call
// is journaled before it is sent, so after a crash it is "outcome unknown" and never sent again.
import * as z from "zod/mini";
import { asCode } from "../../shared/as-code.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { Grant } from "../../shared/grant.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { McpServer } from "../../shared/mcp.ts";
import type { Mode } from "../../shared/mode.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { visibleText } from "../../shared/visible-text.ts";
import { askPermission } from "../calls/permission.ts";
import {
  failed,
  type Outcome,
  type PendingCall,
  type PreparedCall,
  parseArguments,
  runsLater,
  type SandboxCall,
  settled,
  type Waits,
} from "../calls/prepared.ts";
import type { ForeignTools, ToolTurn } from "../calls/tool-turn.ts";
import type { ToolDefinition } from "../model/prompt.ts";
import { hashOfTool, readTools } from "./definitions.ts";
import { McpFailure, SessionForgotten } from "./failure.ts";
import { CallArgs, FindArgs, foundTools, searchDefinitions } from "./find-tool.ts";
import type { HttpServer } from "./http-server.ts";
import { mcpLimits } from "./limits.ts";
import { changed, failureOutcome, lost, moved, stdioOutcome } from "./outcomes.ts";
import { resultWords } from "./result-words.ts";
import { holdsSecret, type Redact } from "./secrets.ts";
import { hasNetwork } from "./session-network.ts";
import { stdioOp } from "./stdio-server.ts";
import { callToolName, findToolName } from "./tool-names.ts";
import { type Places, type TurnTool, usedTools } from "./turn-tool.ts";

export interface TurnToolsAccess extends Places {
  /** A server whose connection is not initialized yet. Throws McpFailure. */
  connect(server: McpServer): HttpServer;
  /** Removes secrets from a server's text. */
  redactFor(server: McpServer): Redact;
  /** Its address or command, in a form that may be stored and shown. */
  shownPlace(server: McpServer): string;
  /** The command that starts it in the sandbox; undefined if it has an address. */
  commandOf(server: McpServer): string | undefined;
  /** The version of this app. */
  version: string;
  stop: AbortSignal;
  now(): number;
}

/** A server whose connection is initialized, with the current hashes of its tools. */
interface Greeted {
  http: HttpServer;
  hashes: ReadonlyMap<string, string>;
}

type Meant = { ok: true; found: TurnTool; args: unknown } | { ok: false; text: string };

export class TurnTools implements ForeignTools {
  readonly #tools: readonly TurnTool[];
  readonly #access: TurnToolsAccess;
  readonly #greeted = new Map<string, Promise<Greeted>>();
  readonly names: readonly string[];

  private constructor(tools: readonly TurnTool[], access: TurnToolsAccess) {
    this.#tools = tools;
    this.#access = access;
    this.names = [
      ...(this.#many ? [findToolName, callToolName] : []),
      ...tools.map(({ shown }) => shown.name),
    ];
  }

  static async of(servers: readonly McpServer[], access: TurnToolsAccess): Promise<TurnTools> {
    return new TurnTools(await usedTools(servers, access), access);
  }

  get #many(): boolean {
    return this.#tools.length > mcpLimits.shownTools;
  }

  definitions(mode: Mode): ToolDefinition[] {
    const usable = this.#tools.filter(({ tool }) => mode !== "plan" || tool.readOnly);
    if (!this.#many || usable.length === 0) return usable.map(({ shown }) => shown);
    const counts = new Map<string, number>();
    for (const { server } of usable) counts.set(server.name, (counts.get(server.name) ?? 0) + 1);
    return searchDefinitions(counts);
  }

  asks(turn: ToolTurn, pending: PendingCall): Waits | undefined {
    const meant = this.#meant(turn, pending);
    return meant.ok ? this.#gate(turn, pending, meant) : undefined;
  }

  prepare(turn: ToolTurn, pending: PendingCall): PreparedCall {
    if (pending.call.name === findToolName) return this.#find(turn, pending);
    const meant = this.#meant(turn, pending);
    if (!meant.ok) return failed(meant.text, true);
    const began = turn.began(pending.key);
    if (meant.found.moved && !began) return { kind: "settled", outcome: moved(meant.found.server.name) };
    const waits = began ? undefined : this.#gate(turn, pending, meant);
    if (waits) return waits;
    const { found, args } = meant;
    const facts = { server: found.server.name, tool: found.tool.name };
    const done = (outcome: Outcome): Outcome => ({
      ...outcome,
      facts: { ...facts, ...outcome.facts },
      journaledAtOnce: true,
    });
    const command = this.#access.commandOf(found.server);
    if (command !== undefined) return this.#inSandbox(turn, pending, meant, command);
    const call = () => this.#call(found, args);
    // Its result is the journal's mark that the call is about to be sent.
    const mark = {
      key: pending.key,
      op: "list",
      args: { depth: 1, limit: 1 },
      toolCallId: pending.call.id,
    } as const;
    return runsLater(async function* () {
      const [marked] = yield* turn.runCalls([mark]);
      // Another runner may have taken over the turn; then that runner makes the call.
      if (marked?.ok && marked.hold)
        throw new HandrailError("stale_epoch", "The turn continues elsewhere: the call was not sent here.");
      // An existing mark was written by a run that may have made the call.
      if (began || (marked?.ok && marked.replayed)) return done(lost(found.server.name, found.tool.name));
      if (!marked?.ok)
        return done({ ok: false, text: `error: ${marked?.error?.message ?? "it was not sent"}` });
      return done(await call());
    });
  }

  /**
   * If the server is a program, the sandbox starts it, and stores the call and its result like those of any
   * command.
   */
  #inSandbox(
    turn: ToolTurn,
    { key, call: { id: toolCallId } }: PendingCall,
    { found, args }: Extract<Meant, { ok: true }>,
    command: string,
  ): PreparedCall {
    const { server, tool } = found;
    const { version, now } = this.#access;
    const redact = this.#access.redactFor(server);
    const facts = { server: server.name, tool: tool.name };
    let op: SandboxCall;
    try {
      op = stdioOp(command, version, { tool, args, seconds: server.seconds });
      if (hasNetwork(turn)) op.args.network = [];
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      return failed(failureOutcome(server.name, error, redact).text);
    }
    return runsLater(async function* () {
      // The program's output is for the edge alone. Without the call's id it is not shown while it comes.
      yield { event: "tool.started", data: { toolCallId, at: now() } };
      let result: CallResult | undefined;
      try {
        [result] = yield* turn.runCalls([{ key, ...op }]);
      } catch (error) {
        // An earlier version of Handrail began the call with another client program: it is neither waited for nor begun
        // again.
        if (!(error instanceof HandrailError && error.code === "key_reused")) throw error;
      }
      const outcome = stdioOutcome(facts, result, redact);
      return { ...outcome, facts: { ...facts, ...outcome.facts }, at: result?.at ?? now() };
    });
  }

  #find(turn: ToolTurn, { call }: PendingCall): PreparedCall {
    const parsed = parseArguments(call.arguments);
    const args = z.safeParse(FindArgs, parsed.ok ? parsed.value : null);
    if (!args.success) return failed("error: find_tool: query: write the words to look for", true);
    const usable = this.#tools.filter(({ tool }) => turn.state.mode !== "plan" || tool.readOnly);
    return settled(
      foundTools(
        args.data.query,
        usable.map(({ shown }) => shown),
      ),
    );
  }

  /** The tool that a call means, and its arguments. */
  #meant({ state }: ToolTurn, { call }: PendingCall): Meant {
    const parsed = parseArguments(call.arguments);
    let args = parsed.ok ? parsed.value : undefined;
    let { name } = call;
    if (name === callToolName) {
      const said = z.safeParse(CallArgs, args);
      if (!said.success) return { ok: false, text: "error: call_tool: write name and arguments" };
      ({ name, arguments: args } = said.data);
    }
    const found = this.#tools.find(({ shown }) => shown.name === name) ?? this.#bare(call.name, name);
    if (!found) return { ok: false, text: `error: there is no tool ${JSON.stringify(name)}; ask find_tool` };
    if (!isRecord(args))
      return { ok: false, text: `error: ${name}: the arguments have to be a JSON object of its schema` };
    if (state.mode === "plan" && !found.tool.readOnly)
      return {
        ok: false,
        text: `error: ${name} may change something and is not available in planning mode; put it into the plan`,
      };
    return { ok: true, found, args };
  }

  /** The only tool that any server calls `name`, as models write it in `call_tool`; undefined if there are two. */
  #bare(asked: string, name: string): TurnTool | undefined {
    const found = asked === callToolName ? this.#tools.filter(({ tool }) => tool.name === name) : [];
    return found.length === 1 ? found[0] : undefined;
  }

  /** The permission that the call needs. A decision counts for the server and the tool's text that it was about. */
  #gate(
    { env }: ToolTurn,
    pending: PendingCall,
    { found, args }: Extract<Meant, { ok: true }>,
  ): Waits | undefined {
    const { server, tool, hash } = found;
    if (found.moved) return undefined;
    const subcommand = `${tool.name} ${hash.slice(0, 16)}`;
    const isThis = (grant: Grant) =>
      grant.risk === "mcp" && grant.program === server.name && grant.subcommand === subcommand;
    // The person's other phone may have another server, or another tool, under the name that was asked about.
    const allowed = pending.permitted
      ? (env.asked?.some(isThis) ?? true)
      : env.grants.some(isThis) || tool.use === "allowed";
    if (allowed) return undefined;
    const command = this.#access.commandOf(server);
    // The tool is not called, even if the person allowed it.
    if (command !== undefined && holdsSecret(command)) return undefined;
    const started = command === undefined ? "" : "started in the sandbox by ";
    const where = `${started}\`${this.#access.shownPlace(server)}\``;
    return askPermission(pending, {
      risk: "mcp",
      why: `${asCode(visibleText(tool.name, "line"))} is a tool of the MCP server \`${server.name}\` (${where}).`,
      ...{ program: server.name, subcommand },
      commands: [`${tool.name} ${JSON.stringify(args, null, 2)}`],
    });
  }

  async #call(found: TurnTool, args: unknown): Promise<Outcome> {
    const { stop, now } = this.#access;
    const outcome = await this.#ask(found, args);
    // After a stop, the ending describes the call from the journal alone.
    if (stop.aborted) throw new HandrailError("turn_finished", "The turn was stopped while this ran.");
    return { ...outcome, at: now() };
  }

  /**
   * `isFirst`: if the server was restarted since its connection was initialized, that is repeated once and the call is
   * tried again.
   */
  async #ask(found: TurnTool, args: unknown, isFirst = true): Promise<Outcome> {
    const { server, tool, hash } = found;
    const redact = this.#access.redactFor(server);
    try {
      const { http, hashes } = await this.#greet(server);
      const known = hashes.get(tool.name);
      return known === hash
        ? resultWords(server.name, await http.call(tool.name, args), redact)
        : changed(server.name, tool.name, known === undefined);
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      this.#greeted.delete(server.name);
      return isFirst && error instanceof SessionForgotten
        ? this.#ask(found, args, false)
        : failureOutcome(server.name, error, redact);
    }
  }

  /** The connection is initialized once in this run of the turn. If that failed, the next call tries again. */
  #greet(server: McpServer): Promise<Greeted> {
    const known = this.#greeted.get(server.name);
    if (known !== undefined) return known;
    const greeting = this.#hello(server);
    this.#greeted.set(server.name, greeting);
    greeting.catch(() => this.#greeted.delete(server.name));
    return greeting;
  }

  async #hello(server: McpServer): Promise<Greeted> {
    const http = this.#access.connect(server);
    await http.open();
    const used = new Set<unknown>(server.tools.map(({ name }) => name));
    const listed = (await http.tools()).filter((tool) => isRecord(tool) && used.has(tool.name));
    const { tools } = readTools(listed, this.#access.redactFor(server));
    const where = this.#access.whereIs(server);
    const hashes = tools.map(async (tool) => [tool.name, await hashOfTool(where, tool)] as const);
    return { http, hashes: new Map(await Promise.all(hashes)) };
  }
}
