// A text field that grows with its text.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface GrowingFieldProps {
  label: string;
  value: string;
  placeholder?: string;
  /** True if the text is a command. */
  code?: boolean;
  /** True if the field takes the focus when it appears. */
  focus?: boolean;
  onInput(value: string): void;
}

export function GrowingField({ label, value, placeholder, code, focus, onInput }: GrowingFieldProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = input.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + element.offsetHeight - element.clientHeight}px`;
  }, [value]);
  useEffect(() => {
    const element = input.current;
    if (!focus || element === null) return;
    element.focus({ preventScroll: true });
    element.closest("li")?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        ref={input}
        rows={1}
        class={code ? "code-field" : ""}
        spellcheck={!code}
        autocapitalize={code ? "off" : undefined}
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
