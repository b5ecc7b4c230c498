// Offers notifications once, next to the caption that the phone can be locked, and only while something runs.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ability, notify, problem, runningCalls, setNotify, turnOn } from "../app/notifications.ts";
import { preventedInWords } from "../words/notify-words.ts";

/** If the window has fewer lines of text than this, the running turn needs the space. */
const roomyRem = 34;

/** Measures the window in lines of text, again after every change of its height or of the text size. */
function Room({ roomy }: { roomy: Signal<boolean> }) {
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    const measure = () => {
      const { width = 1, height = 0 } = line.current?.getBoundingClientRect() ?? {};
      roomy.value = height >= roomyRem * width;
    };
    const observer = new ResizeObserver(measure);
    if (line.current) observer.observe(line.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return <i ref={line} class="room" aria-hidden="true" />;
}

/** `words`: the caption to show if there is no offer; "" = nothing. */
export function NotifyOffer({ words }: { words: string }) {
  const roomy = useSignal(false);
  return (
    <>
      <Room roomy={roomy} />
      <Offer words={words} roomy={roomy.value} />
    </>
  );
}

function Offer({ words, roomy }: { words: string; roomy: boolean }) {
  // The result of tapping "Notify me" is shown as long as this component is on the screen.
  const tapped = useSignal(false);
  const can = ability.value;
  if (tapped.value && can === "on") {
    return (
      <Line
        words={`${runningCalls.value ? "You" : "From your next message on you"} are notified when it needs you or is done. Settings has more.`}
      />
    );
  }
  if (tapped.value && problem.value !== null) return <Line words={problem.value} />;
  const plain = words === "" ? null : <Line words={words} />;
  if (!tapped.value && (notify.value?.asked === true || !roomy)) return plain;
  if (can === "denied" || can === "install") {
    return (
      <>
        {plain}
        <Line words={preventedInWords[can]}>
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              tapped.value = false;
              void setNotify({ asked: true });
            }}
          >
            OK
          </button>
        </Line>
      </>
    );
  }
  if (can !== "off" || tapped.value) return plain;
  return (
    <Line words={words || "Be notified when it is done?"}>
      <button type="button" class="button quiet" onClick={() => void setNotify({ asked: true })}>
        Not now
      </button>
      <button
        type="button"
        class="button soft"
        onClick={() => {
          tapped.value = true;
          void turnOn();
        }}
      >
        Notify me
      </button>
    </Line>
  );
}

function Line({ words, children }: { words: string; children?: ComponentChildren }) {
  return (
    <div class={children ? "actions notify-offer" : "actions"} role="status">
      <p class="bar-words">{words}</p>
      {children}
    </div>
  );
}
