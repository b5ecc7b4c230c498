// The text input: stores its draft, offers slash commands, and handles Enter and Shift+Tab like a desktop app.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { noteMessage } from "../app/app-state.ts";
import { loadCode } from "../browser/load-code.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { type CommandHint, commandHints, commandsIn, parseCommand } from "../session/commands.ts";
import { beginAgain, cancelAgain, editedAgain } from "../session/edit-again.ts";
import { cycleMode, lastSaid, noteWhatRuns, say } from "../session/intents.ts";
import { issueFile, withMention } from "../session/mentions.ts";
import type { OpenSession } from "../session/open-session.ts";
import { Icon } from "./icon.tsx";
import { lazy } from "./lazy.tsx";
import { ModePill } from "./mode-pill.tsx";
import { Problem } from "./problem.tsx";
import { SendOrStop } from "./send-or-stop.tsx";
import { oneLineOf } from "./shown-text.ts";
import { useMentions } from "./use-mentions.ts";
import { Voice } from "./voice.tsx";

/** Increased when another component wants the composer focused. */
export const focusComposer = signal(0);

const SlashMenu = lazy(() => import("./slash-menu.tsx").then((module) => module.SlashMenu), "nothing");

const EditAgainBar = lazy(() => import("./edit-again-bar.tsx").then((module) => module.EditAgainBar));

export function Composer({ session, placeholder }: { session: OpenSession; placeholder: string }) {
  const input = useRef<HTMLTextAreaElement>(null);
  const picked = useSignal(0);
  const problem = useSignal<string | undefined>(undefined);
  /** True after Escape: until the composer loses the focus, Shift+Tab moves it instead of changing the mode. */
  const released = useSignal(false);
  const { text, attachments } = session.draft.value;
  const writes = session.types.value;
  const nothing = text.trim() === "" && attachments.length === 0;
  const { found, look } = useMentions(session);
  const { sandboxId } = session.record.value;
  const commands = commandsIn(sandboxId);
  const hints: readonly CommandHint[] = released.value
    ? []
    : found.mention === undefined
      ? commandHints(text, commands)
      : found.hints;

  useLayoutEffect(() => {
    const element = input.current;
    // Prefer the browser's own sizing: it also reacts when the person changes the text size.
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text, placeholder]);

  const slash = text.startsWith("/");
  useEffect(() => {
    if (slash && sandboxId !== "")
      void import("../app/project-commands.ts")
        .then(({ readCommands }) => readCommands(sandboxId))
        .catch(() => undefined);
  }, [slash, sandboxId]);

  useEffect(() => {
    if (focusComposer.value > 0) input.current?.focus();
  }, [focusComposer.value]);

  // The button that began the session, or took it over, has disappeared, so the composer gets the keyboard focus.
  const isBegun = session.settled.value.entries.length > 0;
  const wrote = useRef(true);
  useEffect(() => {
    const begins = writes && !(isBegun && wrote.current);
    wrote.current = writes;
    if (begins && hasKeyboard.value && document.activeElement === document.body) input.current?.focus();
  }, [writes]);

  const lookAgain = () => {
    const element = input.current;
    if (element !== null) look(element.value, element.selectionStart);
  };
  const change = (value: string) => {
    problem.value = undefined;
    picked.value = 0;
    if (session.draft.value.text === "") noteWhatRuns(session);
    session.setDraft({ text: value });
  };
  const send = () => {
    if (!nothing) noteMessage();
    problem.value = say(session, session.draft.value.text);
    input.current?.focus();
  };
  const complete = (insert: string) => {
    const { mention, issues } = found;
    const next =
      mention === undefined ? { text: insert, caret: insert.length } : withMention(text, mention, insert);
    const issue = mention?.sign === "#" && issues.find(({ number }) => String(number) === insert);
    if (issue) attach([issueFile(issue)]);
    change(next.text);
    look(next.text, next.caret);
    const element = input.current;
    if (element === null) return;
    element.focus();
    element.value = next.text;
    element.setSelectionRange(next.caret, next.caret);
  };
  const attach = (files: readonly File[]) => {
    if (files.length === 0) return false;
    void loadCode(() => import("../browser/attach-files.ts")).then(
      async ({ attachFiles }) => {
        const all = () => session.draft.value.attachments;
        const problems = await attachFiles(files, {
          all,
          add: (attachment) => session.setDraft({ attachments: [...all(), attachment] }),
        });
        problem.value = problems.length === 0 ? undefined : problems.join(" ");
      },
      ({ message }: Error) => {
        problem.value = message;
      },
    );
    return true;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const hint = hints[picked.value];
    if (event.key === "Tab" && event.shiftKey && !released.value) {
      event.preventDefault();
      cycleMode(session);
    } else if (event.key === "ArrowUp" && nothing && hasKeyboard.value) {
      const last = lastSaid(session);
      if (last === undefined) return;
      event.preventDefault();
      beginAgain(session, last);
    } else if (event.key === "Escape") {
      cancelAgain(session);
      released.value = true;
    } else if (hint !== undefined && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : hints.length - 1;
      picked.value = (picked.value + step) % hints.length;
    } else if (hint !== undefined && event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      complete(hint.insert);
    } else if (
      event.key === "Enter" &&
      !event.shiftKey &&
      (hasKeyboard.value || event.ctrlKey || event.metaKey)
    ) {
      event.preventDefault();
      const begun =
        hint !== undefined &&
        hint.insert.trimEnd() !== text.trimEnd() &&
        (found.mention !== undefined || hint.group === "project" || parseCommand(text).kind === "unknown");
      if (begun) complete(hint.insert);
      else send();
    }
  };

  return (
    <div class="composer">
      {hints.length > 0 && <SlashMenu hints={hints} picked={picked.value} onPick={complete} />}
      {editedAgain(session) !== undefined && <EditAgainBar session={session} />}
      <Problem words={problem.value} />
      {attachments.length > 0 && (
        <ul class="chips" aria-label="Attached">
          {attachments.map((attachment, index) => (
            <li key={index} class="chip">
              {attachment.kind === "image" && (
                <img src={`data:${attachment.mediaType};base64,${attachment.data}`} alt="" />
              )}
              <span>{oneLineOf(attachment.name)}</span>
              <button
                type="button"
                aria-label={`Remove ${attachment.name}`}
                onClick={() => session.setDraft({ attachments: attachments.filter((_, at) => at !== index) })}
              >
                <Icon name="close" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped here; the button does the same */}
      <div
        class="input-box"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          if (writes && attach([...(event.dataTransfer?.files ?? [])])) event.preventDefault();
        }}
      >
        <label class="attach">
          <input
            type="file"
            multiple
            disabled={!writes}
            aria-label="Attach files"
            onChange={(event) => {
              attach([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
          <Icon name="plus" size={20} />
        </label>
        <textarea
          ref={input}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          aria-describedby={hasKeyboard.value ? "composer-keys" : undefined}
          disabled={!writes}
          enterkeyhint={hasKeyboard.value ? "send" : "enter"}
          onInput={(event) => {
            change(event.currentTarget.value);
            lookAgain();
          }}
          onKeyDown={onKeyDown}
          onKeyUp={(event) => {
            if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") lookAgain();
          }}
          onClick={lookAgain}
          onPaste={(event) => {
            if (attach([...(event.clipboardData?.files ?? [])])) event.preventDefault();
          }}
          onBlur={() => {
            released.value = false;
            void session.saveDraft();
          }}
        />
        {writes && <Voice session={session} onProblem={(words) => (problem.value = words)} />}
        <SendOrStop
          session={session}
          nothing={nothing}
          onSend={send}
          onStopped={() => hasKeyboard.value && input.current?.focus()}
        />
      </div>
      {hasKeyboard.value && (
        <span id="composer-keys" hidden>
          Shift+Tab changes the mode; after Escape it moves back.
        </span>
      )}
      <ModePill session={session} />
    </div>
  );
}
