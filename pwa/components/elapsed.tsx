// Times in words: a running time that is updated each second, a duration, and the time of day.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { serverNow } from "../browser/server-clock.ts";

export function durationInWords(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  // Round down as the clock of the turn does, so that no command seems to take longer than its turn.
  const seconds = Math.floor(ms / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** True while it is unknown whether anything still runs, so that no running time can be shown. */
export const StandsStill = createContext(false);

/** Milliseconds since a moment, updated each second; undefined if it is unknown whether the thing still runs. */
function useElapsedMs(since: number, clock: () => number): number | undefined {
  const still = useContext(StandsStill);
  const [now, setNow] = useState(clock);
  useEffect(() => {
    if (still) return;
    setNow(clock);
    const timer = setInterval(() => setNow(clock), 1000);
    return () => clearInterval(timer);
  }, [still]);
  return still ? undefined : now - since;
}

/**
 * "12 s" since a moment, in whole seconds; nothing during the first second, or if it is unknown whether the thing still
 * runs.
 */
export function Elapsed({ since }: { since: number }) {
  const seconds = Math.floor((useElapsedMs(since, Date.now) ?? 0) / 1000);
  return (
    <span class="time">
      {seconds < 1 ? "" : seconds < 100 ? `${seconds} s` : durationInWords(seconds * 1000)}
    </span>
  );
}

/**
 * "0:23" or "1:04:09" since a moment, beginning with the first second; nothing if it is unknown whether the thing still
 * runs.
 */
export function Clock({ since }: { since: number }) {
  const ms = useElapsedMs(since, serverNow);
  return <span class="time">{ms === undefined ? "" : clockOf(ms)}</span>;
}

/** "0:23" until a moment, counting down to 0:00; nothing if it is unknown whether the thing still runs. */
export function Countdown({ until }: { until: number }) {
  const ms = useElapsedMs(until, serverNow);
  return <span class="time">{ms === undefined ? "" : clockOf(Math.max(0, 999 - ms))}</span>;
}

function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const day = 86_400_000;

/** For example "now", "2 min", "9:12", "Tue", "3 May". */
export function momentInWords(at: number, now: number): string {
  const age = now - at;
  if (age < 60_000) return "now";
  if (age < 3_600_000) return `${Math.floor(age / 60_000)} min`;
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) {
    return date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
  }
  if (age < 6 * day) return date.toLocaleDateString(undefined, { weekday: "short" });
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
