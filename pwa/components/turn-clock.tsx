// The time of the newest turn as a clock, either running or final.
import { useEffect, useState } from "preact/hooks";
import { serverNow } from "../browser/server-clock.ts";

/** "6:12", or "1:06:12" with hours. */
export function clockOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

interface TurnClockProps {
  since: number;
  /** Absent = the turn is running. */
  until?: number | undefined;
}

export function TurnClock({ since, until }: TurnClockProps) {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (until !== undefined) return;
    setNow(serverNow);
    const timer = setInterval(() => setNow(serverNow), 1_000);
    return () => clearInterval(timer);
  }, [until === undefined]);
  return <span class="clock">{clockOf((until ?? now) - since)}</span>;
}
