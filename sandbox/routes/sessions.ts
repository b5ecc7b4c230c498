// The sessions of this server: the list, and the history of one session from its journals.
import * as z from "zod/mini";
import { SaidNotes } from "../../shared/device-notes.ts";
import type { HistoryPart } from "../../shared/history.ts";
import { StoredTurn } from "../../shared/turn.ts";
import type { ServerContext } from "../context.ts";
import { readHistory } from "../journal/read-history.ts";
import * as limits from "../limits.ts";
import { unknownSandbox } from "../sandbox.ts";
import { listSessions } from "../session-list.ts";
import { waitAtMost } from "../wait-at-most.ts";
import { numberParameter, readBody } from "./answers.ts";
import { noContent, type Router } from "./router.ts";

export function sessionRoutes(app: Router, server: ServerContext): void {
  app.get("/v1/sandboxes", async (c) => Response.json(await listSessions(server, c.query("after"))));

  app.post("/v1/sandboxes/:id/notes", async (c) => {
    const { journal } = await server.registry.get(c.param("id"));
    journal.news.devices.hear(await readBody(c, SaidNotes));
    await journal.news.tell(journal.facts.session.row);
    return noContent();
  });

  app.get("/v1/sandboxes/:id/history", async (c) => {
    const { record, journal, ending } = await server.registry.get(c.param("id"));
    const [turnId, seen, client, known] = ["turn", "seen", "client", "known"].map(c.query);
    const place =
      turnId === undefined
        ? undefined
        : z.parse(StoredTurn, { turnId, after: numberParameter(c, "after", 0), ...(seen ? { seen } : {}) });
    const waitMs = Math.min(numberParameter(c, "waitMs", 0), limits.waitMs);
    const { news } = journal;
    const notes = () => news.devices.notes(journal.facts.session.row.stage === "running");
    const { mark } = notes();
    const leave = client
      ? news.devices.look(client, journal.facts.session.row.stage === "running")
      : undefined;
    if (notes().mark !== mark) await news.tell(journal.facts.session.row);
    const over = new AbortController();
    // Started before anything is read, so that events recorded meanwhile are not missed.
    const next = news.next(AbortSignal.any([over.signal, c.request.signal, ending.signal, server.shutdown]));
    try {
      let part = await readHistory(journal, place);
      const isNews = known !== undefined && Number(known) !== notes().mark;
      if (part.events.length === 0 && waitMs > 0 && !isNews) {
        await waitAtMost(next, waitMs);
        if (ending.signal.aborted) throw unknownSandbox();
        part = await readHistory(journal, place);
      }
      const { id, workspace, createdAt } = record;
      return Response.json({
        ...{ id, workspace, createdAt },
        ...journal.facts.session.row,
        ...part,
        notes: notes(),
      } as HistoryPart);
    } finally {
      leave?.();
      over.abort();
    }
  });
}
