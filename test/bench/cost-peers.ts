// The same session with the prompts, tools and compaction of other agents, as figures that were measured on
// their public sources. This file contains none of their text: a prompt costs the same as any other of its
// size.

import { roundsPerMessage } from "./cost-ours.ts";
import { type Account, CostProvider, type Sent, tokensOf } from "./cost-provider.ts";
import type { Round } from "./cost-session.ts";

interface Peer {
  name: string;
  /** The source of the figures, with its license. */
  source: string;
  /** Tokens of the system prompt and the tools, by the o200k vocabulary. */
  promptTokens: number;
  /**
   * The agent summarizes the conversation when less than `reserveTokens` of the window is free, and keeps the
   * newest `keepTokens` of it verbatim.
   */
  reserveTokens: number;
  keepTokens: number;
  /**
   * The agent blanks the outputs of tools that are older than `pruneAfterTokens`, as soon as that frees
   * `pruneTokens`.
   */
  pruneAfterTokens?: number;
  pruneTokens?: number;
}

export const peers: readonly Peer[] = [
  {
    name: "pi's prompt and tools",
    source: "github.com/badlogic/pi-mono at 83378aa (2026-03-15), MIT: four tools, its own texts counted",
    promptTokens: 938,
    reserveTokens: 16_384,
    keepTokens: 20_000,
  },
  {
    name: "opencode's prompt and tools",
    source:
      "github.com/anomalyco/opencode, MIT: anthropic.txt and nine tools, 37,476 characters at 4.6 a token, and their schemas",
    promptTokens: 9_000,
    reserveTokens: 20_000,
    keepTokens: 0,
    pruneAfterTokens: 40_000,
    pruneTokens: 20_000,
  },
];

/** The usual length of their summaries: about a page and a half. */
const summaryTokens = 1_200;
/**
 * In a small window, reserved room and kept text are limited to these shares, since the agents' own figures
 * would leave no room.
 */
const mostReserve = 0.25;
const mostKept = 0.35;

interface Exchange {
  call: string;
  result: string;
}

const filler = (tokens: number): string => " a".repeat(tokens);

export function runPeer(peer: Peer, rounds: readonly Round[], windowTokens: number): Account {
  const provider = new CostProvider(windowTokens);
  const head = filler(peer.promptTokens);
  const reserve = Math.min(peer.reserveTokens, windowTokens * mostReserve);
  let summary: string[] = [];
  let past: Exchange[] = [];
  const sentNow = (): Sent => [head, ...summary, ...past.flatMap(({ call, result }) => [call, result])];
  rounds.forEach((round, index) => {
    past = pruned(past, peer);
    if (sizeOf(sentNow()) > windowTokens - reserve) {
      // The request for a summary contains the text to summarize.
      provider.ask([...sentNow(), "Sum up the conversation."], summaryTokens, true);
      summary = [`${filler(summaryTokens)} ${index}`];
      past = newest(past, Math.min(peer.keepTokens, windowTokens * mostKept));
    }
    if (index % roundsPerMessage === 0) past.push({ call: `Go on with part ${index}.`, result: "" });
    const call = JSON.stringify({ said: round.said, name: round.name, args: round.args });
    provider.ask(sentNow(), tokensOf(call));
    past.push({ call, result: round.plain });
  });
  return provider.account;
}

function pruned(past: readonly Exchange[], { pruneAfterTokens, pruneTokens = 0 }: Peer): Exchange[] {
  if (pruneAfterTokens === undefined) return [...past];
  const recent = newest(past, pruneAfterTokens).length;
  const old = past.slice(0, past.length - recent);
  const freed = old.reduce((sum, { result }) => sum + tokensOf(result), 0);
  if (freed < pruneTokens) return [...past];
  return past.map((one, index) =>
    index < old.length && one.result !== "" ? { ...one, result: "[cleared]" } : one,
  );
}

function newest(past: readonly Exchange[], tokens: number): Exchange[] {
  let left = tokens;
  const from = past.findLastIndex(({ call, result }) => {
    left -= tokensOf(call) + tokensOf(result);
    return left < 0;
  });
  return past.slice(from + 1);
}

function sizeOf(sent: Sent): number {
  return sent.reduce((sum, text) => sum + tokensOf(text), 0);
}
