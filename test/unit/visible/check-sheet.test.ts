// The sheet about a call that may have run is about that call alone.
import { signal } from "@preact/signals";
import { Fragment, h } from "preact";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptySession } from "../../../shared/session/session-state.ts";
import { drawn, openPage } from "./drawn-page.ts";
import { openedSession } from "./named-things.ts";

let close = (): void => undefined;
beforeAll(() => {
  close = openPage();
});
afterAll(() => close());

const { head, ...rest } = emptySession();
/** The session while a call with this command, which may have run, waits for the person. */
const waits = (command: string | null) => ({
  ...rest,
  head: {
    ...{ ...head, turn: Object({ status: "done", reason: "permission" }) },
    permission:
      command === null
        ? null
        : Object({ toolCallId: command, name: "run_command", arguments: JSON.stringify({ command }) }),
  },
});

test.each([
  ["another call waits in its place", "rm -rf newer"],
  ["nothing waits any more", null],
])("it closes when %s, and does not come back", async (_, then) => {
  const { SessionSheets } = await import("../../../pwa/sheets/session-sheets.tsx");
  const { sheet } = await import("../../../pwa/browser/sheet.ts");
  const session = { ...openedSession(), settled: signal(waits("rm -rf old")) };
  const Sheets = () => h(Fragment, null, h(SessionSheets, { session: Object(session) }), h(Open, {}));
  const Open = () => (sheet.value === null ? "none is open" : "one is open");
  sheet.value = { kind: "check" };
  const { lines, others } = await drawn(h(Sheets, {}), [
    { answer: {}, until: "rm -rf old" },
    { does: () => (session.settled.value = waits(then)), until: "none is open" },
    { does: () => (session.settled.value = waits("rm -rf old")), until: "none is open" },
  ]);
  expect([...lines, ...others]).toEqual(["none is open"]);
});

test("what waits next is not drawn in it, not even until it closes", async () => {
  const { AsOpened } = await import("../../../pwa/sheets/as-opened.tsx");
  const what = signal("old");
  const drawnOnes: string[] = [];
  const Sheets = () => h(AsOpened, { what: what.value, children: h(One, {}) });
  const One = () => {
    drawnOnes.push(what.value);
    return null;
  };
  const does = () => {
    what.value = "newer";
  };
  await drawn(h(Sheets, {}), [{ does, until: "" }]);
  await new Promise(setImmediate);
  expect(drawnOnes).toEqual(["old"]);
});
