// The screen that each slash command opens. A function returns words for the person if there is nothing to open.
import { go } from "../browser/route.ts";
import { openSheet } from "../browser/sheet.ts";
import type { SheetCommand, WantedModel } from "./commands.ts";
import type { OpenSession } from "./open-session.ts";

export const openings: Record<SheetCommand, (session: OpenSession) => string | undefined> = {
  diff: (session) => toPage(session, "changes"),
  files: (session) => toPage(session, "files"),
  undo: () => {
    openSheet({ kind: "undo" });
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

/** `/model …` opens the model sheet, which selects the one model that matches, or lists the choices. */
export function pickModel({ record, settled }: OpenSession, { of, ...wanted }: WantedModel): undefined {
  const work = of ?? (settled.value.head.mode === "plan" ? "plan" : "run");
  openSheet({ kind: "actions", id: record.value.id, view: "model", of: work, wanted });
}

function toPage(session: OpenSession, page: "changes" | "files"): undefined {
  go({ page, id: session.record.value.id });
}
