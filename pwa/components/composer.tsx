// Where a person types: a draft that is never lost, slash commands, Enter and Shift+Tab as they are at home.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { commandHints } from "../state/commands.ts";
import { cycleMode, say } from "../state/intents.ts";
import { hasKeyboard } from "../state/keyboard.ts";
import type { OpenSession } from "../state/open-session.ts";
import { Icon } from "./icon.tsx";
import { ModePill } from "./mode-pill.tsx";
import { SlashMenu } from "./slash-menu.tsx";

/** Counts up when something else wants the composer focused. */
export const focusComposer = signal(0);

export function Composer({ session, placeholder }: { session: OpenSession; placeholder: string }) {
  const input = useRef<HTMLTextAreaElement>(null);
  const picked = useSignal(0);
  const problem = useSignal<string | undefined>(undefined);
  /** Escape gave Shift+Tab back to moving the focus, until the composer is left. */
  const released = useSignal(false);
  const text = session.draft.value.text;
  const hints = released.value ? [] : commandHints(text);

  useLayoutEffect(() => {
    const element = input.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text, placeholder]);

  useEffect(() => {
    if (focusComposer.value > 0) input.current?.focus();
  }, [focusComposer.value]);

  const change = (value: string) => {
    problem.value = undefined;
    picked.value = 0;
    session.setDraft({ text: value });
  };
  const send = () => {
    problem.value = say(session, session.draft.value.text);
    input.current?.focus();
  };
  const complete = (insert: string) => {
    change(insert);
    input.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const hint = hints[picked.value];
    if (event.key === "Tab" && event.shiftKey && !released.value) {
      event.preventDefault();
      cycleMode(session);
    } else if (event.key === "Escape") {
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
      send();
    }
  };

  return (
    <div class="composer">
      {hints.length > 0 && <SlashMenu hints={hints} picked={picked.value} onPick={complete} />}
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <div class="input-box">
        <textarea
          ref={input}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          disabled={!session.writes.value}
          enterkeyhint={hasKeyboard.value ? "send" : "enter"}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={() => {
            released.value = false;
            void session.saveDraft();
          }}
        />
        <button
          type="button"
          class="send"
          aria-label="Send"
          disabled={text.trim() === "" || !session.writes.value}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      </div>
      <ModePill session={session} />
    </div>
  );
}
