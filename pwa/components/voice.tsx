// Dictation, if the browser supports speech recognition. The words go into the draft, so that they can be read before
// they are sent.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { hasVoice, type Listening, listen } from "../browser/voice.ts";
import type { OpenSession } from "../session/open-session.ts";
import { Icon } from "./icon.tsx";

interface VoiceProps {
  session: OpenSession;
  onProblem(words: string): void;
}

export function Voice({ session, onProblem }: VoiceProps) {
  const on = useSignal(false);
  const listening = useRef<Listening | undefined>(undefined);
  useEffect(() => () => listening.current?.stop(), []);
  // Hidden while there is text in the input: a small phone has no space for it.
  if (!hasVoice() || (!on.value && session.draft.value.text !== "")) return null;
  const toggle = () => {
    if (on.value) {
      listening.current?.stop();
      return;
    }
    const before = session.draft.value.text;
    let shown = before;
    on.value = true;
    listening.current = listen(
      (heard) => {
        // The draft was sent or edited meanwhile, and what was said before must not overwrite that.
        if (session.draft.value.text !== shown) {
          listening.current?.stop();
          return;
        }
        shown = [before, heard.trim()].filter(Boolean).join(" ");
        session.setDraft({ text: shown });
      },
      (problem) => {
        on.value = false;
        if (problem !== undefined) onProblem(problem);
      },
    );
  };
  return (
    <button
      type="button"
      class="icon-button voice"
      aria-label="Speak"
      aria-pressed={on.value}
      onClick={toggle}
    >
      <Icon name="voice" size={20} />
    </button>
  );
}
