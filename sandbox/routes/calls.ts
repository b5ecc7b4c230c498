// POST /v1/sandboxes/:id/calls
import type { CallsLine } from "../../shared/calls-line.ts";
import { CallsRequest } from "../../shared/sandbox.ts";
import { acceptBatch } from "../calls/accept-batch.ts";
import { runBatch } from "../calls/run-batch.ts";
import { type ServerContext, tracked } from "../context.ts";
import { ready } from "../sandbox.ts";
import { readBody } from "./answers.ts";
import { type LineSink, ndjsonAnswer } from "./ndjson-stream.ts";
import type { Router } from "./router.ts";

export function callsRoute(app: Router, server: ServerContext): void {
  app.post("/v1/sandboxes/:id/calls", async (c) => {
    const request = await readBody(c, CallsRequest);
    const sandbox = await ready(await server.registry.get(c.param("id")));
    const accepted = await acceptBatch(sandbox.journal, request);
    // The work belongs to the server and not to the connection, so it continues when the reader leaves.
    let sink: LineSink | undefined;
    const early: unknown[] = [];
    const starts = c.query("starts") === "1";
    const emit = (line: CallsLine) => {
      if (line.type === "started" && !starts) return;
      if (sink) sink.line(line);
      else early.push(line);
    };
    if (accepted.turn) emit({ type: "recorded", seq: accepted.seq });
    const { access, turn } = request;
    const work = runBatch({ server, sandbox, access, turn, accepted, emit });
    void tracked(work, [server.running, sandbox.work]);
    return ndjsonAnswer(c.requestId, async (opened) => {
      sink = opened;
      for (const line of early.splice(0)) opened.line(line);
      await work;
      opened.line({ type: "end" });
    });
  });
}
