// Counts what the edge does, for GET /api/metrics and the log: numbers only, never content. In memory, per process.
import type { MetricsReport } from "../shared/api.ts";
import type { TurnEvent } from "../shared/event.ts";

export interface Metrics {
  /** One answered request of /api. */
  request(status: number): void;
  /** One event of a turn that this process runs. */
  event(event: TurnEvent): void;
  read(): MetricsReport;
}

export function createMetrics(now: () => number): Metrics {
  // Set with the first request: on Workers the clock does not run while the script is loaded.
  let since: number | undefined;
  const requests = new Map<string, number>();
  const turns = new Map<string, number>();
  const model = new Map<string, number>();
  return {
    request(status) {
      since ??= now();
      add(requests, status === 429 ? "429" : `${Math.floor(status / 100)}xx`);
    },
    event({ event, data }) {
      if (event === "turn.started") add(turns, "started");
      else if (event === "turn.done") add(turns, data.reason);
      else if (event === "turn.failed") add(turns, "failed");
      else if (event === "interrupted") add(turns, "interrupted");
      else if (event === "diagnostic") add(model, `malformed.${data.kind}`);
      else if (event === "usage") {
        add(model, "calls");
        add(model, "inputTokens", data.inputTokens);
        add(model, "outputTokens", data.outputTokens);
        add(model, "cachedTokens", data.cachedTokens);
      }
    },
    read: () => ({
      since: since ?? now(),
      requests: Object.fromEntries(requests),
      turns: Object.fromEntries(turns),
      model: Object.fromEntries(model),
    }),
  };
}

function add(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
