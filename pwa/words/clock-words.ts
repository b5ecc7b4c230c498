// A moment by the clock, as a person says it. Pure.

/** "22:59" of today, "Tue 22:59" of the last days, else with the date. `at`, `now`: milliseconds. */
export function clockInWords(at: number, now: number): string {
  const date = new Date(at);
  const clock: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
  if (date.toDateString() === new Date(now).toDateString()) return date.toLocaleTimeString(undefined, clock);
  const recent = Math.abs(now - at) < 6 * 86_400_000;
  const day: Intl.DateTimeFormatOptions = recent ? { weekday: "short" } : { day: "numeric", month: "short" };
  return date.toLocaleString(undefined, { ...day, ...clock });
}
