// What a slash command opens, one line for each. Returns words for the person if there is nothing to open.

import { go } from "../browser/route.ts";
import { openSheet } from "../browser/sheet.ts";
import type { PickFor } from "./chosen-model.ts";
import type { SheetCommand } from "./commands.ts";
import type { OpenSession } from "./open-session.ts";

export const openings: Record<SheetCommand, (session: OpenSession) => string | undefined> = {
  diff: (session) => toPage(session, "changes"),
  files: (session) => toPage(session, "files"),
  undo: () => {
    openSheet({ kind: "undo" });
    return undefined;
  },
  model: ({ record }) => {
    openSheet({ kind: "actions", id: record.value.id, view: "model" });
    return undefined;
  },
  export: ({ record }) => {
    openSheet({ kind: "actions", id: record.value.id, view: "export" });
    return undefined;
  },
  help: () => {
    openSheet({ kind: "help" });
    return undefined;
  },
};

/** `/model plan NAME`: the sheet selects a matching model, or offers the available ones. */
export function pickModel({ record }: OpenSession, of: PickFor, wanted: string): void {
  openSheet({ kind: "actions", id: record.value.id, view: "model", of, ...(wanted && { wanted }) });
}

function toPage(session: OpenSession, page: "changes" | "files"): undefined {
  go({ page, id: session.record.value.id });
}
