// How wide the panes of a wide window are, in CSS pixels. The transcript has what is left, and at least 640 of it.
import type { Settings } from "../storage/settings.ts";

export const paneLimits = {
  list: { min: 220, max: 480, usual: 300 },
  side: { min: 300, max: 1_100, usual: 520 },
} as const;

export function paneSizes(panes: Settings["panes"]): { list: number; side: number } {
  return { list: panes?.list ?? paneLimits.list.usual, side: panes?.side ?? paneLimits.side.usual };
}
