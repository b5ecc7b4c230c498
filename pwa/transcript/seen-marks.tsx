// Marks before and after what a person decides about, and the note of which of them was on the screen.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sawCommand } from "../session/seen-command.ts";

export function SeenMarks({ name, children }: { name: string; children: ComponentChildren }) {
  const start = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const now = { start: false, end: false };
    const observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes)
        now[target === start.current ? "start" : "end"] = isIntersecting;
      sawCommand(name, now);
    });
    for (const { current } of [start, end]) if (current !== null) observer.observe(current);
    return () => observer.disconnect();
  }, [name]);
  return (
    <div class="asked">
      <div ref={start} class="asked-start" />
      {children}
      <div ref={end} class="asked-end" />
    </div>
  );
}
