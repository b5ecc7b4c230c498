// A session of many messages, written into a phone's storage in the form in which the app stores it.
import type { Page } from "playwright-core";
import { parseEntry } from "../../shared/session/entry.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { type Entry, emptySession } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";

const segmentSize = 64;

/** Turns of four messages each: a message, a call, its result, and an answer with a list and code. */
function* longHistory(messages: number): Iterable<Entry> {
  let made = 0;
  for (let turn = 0; made < messages; turn += 1) {
    let id = 0;
    const turnId = `turn${turn}`;
    const at = 1_700_000_000_000 + turn * 60_000;
    const entry = (event: string, data: object): Entry => {
      id += 1;
      const parsed = parseEntry({ turnId, id, event, data });
      if (parsed === undefined) throw new Error(`No entry: ${event}`);
      return parsed;
    };
    const message = (role: string, rest: object): Entry => {
      made += 1;
      return entry("message", {
        message: { id: `m${made}`, role, createdAt: at + made, mode: "normal", ...rest },
      });
    };
    const call = {
      id: `c${turn}`,
      name: "run_command",
      arguments: JSON.stringify({ command: `npm test ${turn}` }),
    };
    const model = { provider: "default", id: "demo" };
    yield entry("turn.started", { turnId, mode: "normal", model, toolProtocol: "native", format: 1 });
    yield message("user", { content: `Question ${turn}: what does part ${turn} of the gateway do?` });
    yield message("assistant", {
      content: `Looking at part ${turn}.`,
      finish: "tool_calls",
      toolCalls: [call],
    });
    yield message("tool", {
      content: `exit 0\n${"✓ works\n".repeat(12)}`,
      toolCallId: call.id,
      name: call.name,
      ok: true,
      meta: {
        round: 1,
        maxRounds: 12,
        contextTokens: 41_000,
        budgetTokens: 100_000,
        facts: { exitCode: 0, timedOut: false, ms: 900 },
      },
    });
    yield message("assistant", {
      content: `Part ${turn} counts requests.\n\n- per **address** as before\n- per token, in \`gateway/limit-${turn}.ts\`\n\n\`\`\`ts\nconst gate = await limiter.take(token.id);\nif (!gate.ok) return tooMany(gate);\n\`\`\`\n\nIt runs after \`verify()\`.`,
      finish: "stop",
    });
    yield entry("turn.done", { reason: "stop", rounds: 1 });
  }
}

/**
 * Stores a session of `messages` messages and returns its id. The page must be paired, so that the database
 * exists.
 */
export async function storeLongSession(page: Page, messages: number, id = "longsession"): Promise<string> {
  const entries = [...longHistory(messages)];
  // The fold starts without earlier entries: only the head is needed, and copying 10,000 entries takes time.
  const state = entries.reduce(
    (folded, entry) => ({ ...reduce(folded, entry), entries: [] }),
    emptySession(),
  );
  const puts: [string, unknown][] = [
    [
      `session/${id}`,
      {
        id,
        title: "A long day",
        sandboxId: "sb1",
        workspace: "acme/gateway",
        createdAt: 1_700_000_000_000,
        updatedAt: 1_700_000_000_000,
        summary: sessionSummary(state),
      },
    ],
    [`head/${id}`, state.head],
  ];
  for (let at = 0; at < entries.length; at += segmentSize) {
    const place = String(at / segmentSize).padStart(6, "0");
    puts.push([`segment/${id}/${place}`, entries.slice(at, at + segmentSize)]);
  }
  await page.evaluate(
    (all) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open("handrail");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const writing = opening.result.transaction("kv", "readwrite");
          for (const [key, value] of all) writing.objectStore("kv").put(value, key);
          writing.oncomplete = () => {
            opening.result.close();
            resolve();
          };
          writing.onerror = () => reject(writing.error);
        };
      }),
    puts,
  );
  return id;
}
