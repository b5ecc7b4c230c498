// Components that draw names on one line, drawn with names that hide something; sheets are in `named-sheets.ts`. A component's module is loaded
// only when it is drawn, because it expects a page.
import { signal } from "@preact/signals";
import { h } from "preact";
import type { Entry } from "../../../shared/session/session-state.ts";
import { memoryKv } from "../pwa/memory-kv.ts";
import { type Drawn, drawn, pressWithCtrl } from "./drawn-page.ts";
import { file, name, openedSession, record } from "./named-things.ts";

const nothing = () => undefined;
const mark = "⟨U+0009⟩";
const call = (toolName: string, args: object) => ({
  ...{ id: `c-${toolName}`, name: toolName, arguments: JSON.stringify(args) },
});
const written = { turnId: "t1", id: 1 };
const entry = (message: object): Entry => Object({ ...written, event: "message", data: { message } });
const said = (role: string, more: object) => ({ id: `m-${role}`, role, createdAt: 1, mode: "auto", ...more });
const command = call("run_command", { command: name });
const result = said("tool", {
  ...{
    toolCallId: command.id,
    name: "run_command",
    ok: true,
    content: `[taken out by the sandbox: ${name.replaceAll("\n", "")} (why)]`,
  },
  meta: { round: 1, maxRounds: 2, contextTokens: 0, budgetTokens: 0, facts: { exitCode: 0 } },
});
const permission = {
  toolCallId: command.id,
  name: command.name,
  arguments: command.arguments,
  risk: "network" as const,
  why: "",
};
/** By file: what it draws in all of its states. */
export const components: Readonly<Record<string, () => Promise<readonly Drawn[]>>> = {
  "components/composer.tsx": async () => {
    const { Composer } = await import("../../../pwa/components/composer.tsx");
    const attachments = [{ kind: "text" as const, name, mediaType: "text/plain", data: "" }];
    return [await drawn(h(Composer, { session: openedSession({}, { attachments }), placeholder: "" }))];
  },
  "components/header.tsx": async () => {
    const { Header } = await import("../../../pwa/components/header.tsx");
    return [await drawn(h(Header, { title: name }))];
  },
  "components/sheet.tsx": async () => {
    const { Sheet } = await import("../../../pwa/components/sheet.tsx");
    return [await drawn(h(Sheet, { title: name, subtitle: name, onClose: nothing, children: "" }))];
  },
  "components/slash-menu.tsx": async () => {
    const { SlashMenu } = await import("../../../pwa/components/slash-menu.tsx");
    const hints = [{ insert: "/x", label: name, meaning: name, group: "project" as const }];
    return [await drawn(h(SlashMenu, { hints, picked: 0, onPick: nothing }))];
  },
  "components/background-commands.tsx": async () => {
    const { BackgroundCommands } = await import("../../../pwa/components/background-commands.tsx");
    const commands = [{ id: "1", command: name, startedAt: 0, kept: false }];
    return [await drawn(h(BackgroundCommands, { session: openedSession(), commands }))];
  },
  "components/branch-offer.tsx": async () => {
    const { BranchOffer } = await import("../../../pwa/components/branch-offer.tsx");
    return [await drawn(h(BranchOffer, { session: openedSession() }))];
  },
  "components/edit-again-bar.tsx": async () => {
    const { EditAgainBar } = await import("../../../pwa/components/edit-again-bar.tsx");
    const { beginAgain, cancelAgain } = await import("../../../pwa/session/edit-again.ts");
    const session = openedSession();
    beginAgain(session, Object(said("user", { content: name })));
    const bar = await drawn(h(EditAgainBar, { session }));
    cancelAgain(session);
    return [bar];
  },
  "components/home-notices.tsx": async () => {
    const { HomeNotices } = await import("../../../pwa/components/home-notices.tsx");
    const { undoable } = await import("../../../pwa/app/session-actions.ts");
    undoable.value = { record, did: "deleted" };
    const notices = await drawn(h(HomeNotices, {}));
    undoable.value = null;
    return [notices];
  },
  "components/search-results.tsx": async () => {
    const { SearchResults } = await import("../../../pwa/components/search-results.tsx");
    const { searchResult } = await import("../../../pwa/app/search.ts");
    searchResult.value = { words: "x", found: [{ record, place: null, count: 0 }], left: 0 };
    return [await drawn(h(SearchResults, { needle: "x" }))];
  },
  "components/session-header.tsx": async () => {
    const { SessionHeader } = await import("../../../pwa/components/session-header.tsx");
    const { isWide } = await import("../../../pwa/browser/screen.ts");
    isWide.value = true;
    const session = openedSession({ head: { model: { provider: "p", id: name } } });
    const wide = await drawn(h(SessionHeader, { session }));
    isWide.value = false;
    session.record.value = { ...record, demo: true };
    session.connection.value = { kind: "idle" };
    return [wide, await drawn(h(SessionHeader, { session }))];
  },
  "components/guest-notice.tsx": async () => {
    const { ImageOffer } = await import("../../../pwa/components/guest-notice.tsx");
    return [await drawn(h(ImageOffer, { image: name, problem: null, asks: false, onUse: nothing }))];
  },
  "transcript/asked-card.tsx": async () => {
    const { AskedCard } = await import("../../../pwa/transcript/asked-card.tsx");
    const decisions = [{ ...permission, decision: "once" as const }];
    const session = openedSession(
      { head: { permission, openCalls: [command] } },
      { decisions },
      { input: {} },
    );
    return [await drawn(h(AskedCard, { session }))];
  },
  "transcript/row-view.tsx": async () => {
    const { RowView } = await import("../../../pwa/transcript/row-view.tsx");
    const session = openedSession();
    const views = ["a", "b"].map((id) => ({
      call: { ...call("read_file", { path: `${id}${name}` }), id },
      ...{ result: undefined, since: 0, answer: "m" },
    }));
    const attachments = [{ kind: "text", name, mediaType: "text/plain", data: "" }];
    const message = Object(said("user", { content: "Look", attachments }));
    return [
      await drawn(h(RowView, { row: { key: "1", kind: "looked", calls: views }, session }), [
        { tap: "Read", until: `of⟨U+000A⟩` },
      ]),
      await drawn(h(RowView, { row: { key: "2", kind: "user", message }, session })),
    ];
  },
  "transcript/call-card.tsx": async () => {
    const { CallCard } = await import("../../../pwa/transcript/call-card.tsx");
    const view = { call: command, result: Object(result), since: 0, answer: "m" };
    return [await drawn(h(CallCard, { view, session: openedSession() }))];
  },
  "transcript/now-card.tsx": async () => {
    const { NowCard } = await import("../../../pwa/transcript/now-card.tsx");
    const rows = signal([]);
    const live = {
      ...openedSession().state.value.live,
      started: { "t.hook": { at: 0, check: { command: name } } },
    };
    return [
      await drawn(h(NowCard, { session: openedSession({ head: { openCalls: [command] } }, {}, {}), rows })),
      await drawn(h(NowCard, { session: openedSession({ live }, {}, {}), rows })),
    ];
  },
  "transcript/ran-unasked.tsx": async () => {
    const { RanUnasked } = await import("../../../pwa/transcript/ran-unasked.tsx");
    const answer = said("assistant", { content: "", toolCalls: [command] });
    const entries = [entry(said("user", { content: "Go" })), entry(answer), entry(result)];
    return [await drawn(h(RanUnasked, { session: openedSession({ entries }) }))];
  },
  "transcript/helper-rounds.tsx": async () => {
    const { HelperRounds } = await import("../../../pwa/transcript/helper-rounds.tsx");
    const data = { model: "m", answer: { toolCalls: [call("read_file", { path: name })] } };
    const round = Object(
      said("event", { content: "", extra: { event: { subkind: "explore", source: "model", data } } }),
    );
    return [await drawn(h(HelperRounds, { task: "Look", rounds: [round], result: undefined }))];
  },
  "changes/file-list.tsx": async () => {
    const { FileList } = await import("../../../pwa/changes/file-list.tsx");
    const files = ["a", "b", "c"].map((folder) => ({ ...file, path: `${folder}${name}/${name}` }));
    return [await drawn(h(FileList, { files, session: openedSession(), open: true, onJump: nothing }))];
  },
  "changes/changed-file.tsx": async () => {
    const { ChangedFile } = await import("../../../pwa/changes/changed-file.tsx");
    const seen = { open: true, wrap: false, split: false, locked: undefined, commit: name, mixed: false };
    return [await drawn(h(ChangedFile, { file, session: openedSession(), ...seen, onTakeBack: nothing }))];
  },
  "diff/file-card.tsx": async () => {
    const { FileCard } = await import("../../../pwa/diff/file-card.tsx");
    return [await drawn(h(FileCard, { file }))];
  },
  "files/tree.tsx": async () => {
    const { Tree } = await import("../../../pwa/files/tree.tsx");
    const entries = [
      { path: `${name}/`, type: "dir", size: 0 },
      { path: name, type: "file", size: 1 },
    ];
    return [
      await drawn(h(Tree, { sandboxId: "b1", folder: "", onFile: nothing }), [
        { answer: { entries, truncated: false }, until: mark },
      ]),
    ];
  },
  "desktop/desk.tsx": async () => {
    const { Desk } = await import("../../../pwa/desktop/desk.tsx");
    const { records } = await import("../../../pwa/app/app-state.ts");
    records.value = [record];
    const palette = await drawn(h(Desk, {}), [{ does: () => pressWithCtrl("k"), until: mark }]);
    records.value = [];
    return [palette];
  },
  "pages/sessions-page.tsx": async () => {
    const { SessionLine } = await import("../../../pwa/pages/sessions-page.tsx");
    const { unsent: _, ...sent } = record;
    return [await drawn(h(SessionLine, { record })), await drawn(h(SessionLine, { record: sent }))];
  },
  "pages/mcp-tool-card.tsx": async () => {
    const { McpToolCard } = await import("../../../pwa/pages/mcp-tool-card.tsx");
    const tool = { name, description: "", inputSchema: {}, use: "off" as const };
    return [await drawn(h(McpToolCard, { server: { name: "docs", tools: [] }, tool }))];
  },
  "pages/forge-repositories.tsx": async () => {
    const { ForgeRepositories } = await import("../../../pwa/pages/forge-repositories.tsx");
    await emptyStore();
    const parts = [
      ["Work on an issue", "#1"],
      ["A branch other than", "thing-branch"],
    ] as const;
    const repository = { path: name, url: "", about: "", isPrivate: true, defaultBranch: name };
    const answer = {
      ...{ forges: [{ host: "github.com", kind: "github", device: false, signedIn: true }], next: null },
      ...{ repositories: [repository], branches: [`${name}thing-branch`] },
      issues: [{ number: 1, title: name, url: "", text: "" }],
    };
    return Promise.all(
      parts.map(([tap, until]) =>
        drawn(h(ForgeRepositories, { busy: false, onPick: nothing }), [
          { answer, until: "private" },
          { tap, until },
        ]),
      ),
    );
  },
  "pages/on-server.tsx": async () => {
    const { OnServer } = await import("../../../pwa/pages/on-server.tsx");
    const { settings } = await import("../../../pwa/app/app-state.ts");
    await emptyStore();
    settings.value = { ...settings.value, token: "t" };
    const one = { sandboxId: "b2", title: name, workspace: name, createdAt: 0, updatedAt: 0 };
    const answer = { sandboxes: [{ ...one, state: "stop", mode: "normal" }], next: null };
    return [await drawn(h(OnServer, {}), [{ answer, until: "On this server" }])];
  },
};

/** The app's store in memory, in place of the browser's database. */
async function emptyStore(): Promise<void> {
  const { kv } = await import("../../../pwa/app/app-state.ts");
  Object.assign(kv, memoryKv());
}
