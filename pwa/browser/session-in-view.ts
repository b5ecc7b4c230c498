// The session on the screen: the one in the address, or the one that stays visible beside Settings in a wide window.
import { effect, signal } from "@preact/signals";
import { route } from "./route.ts";
import { hasThirdPane } from "./screen.ts";

const last = signal<string | null>(null);

effect(() => {
  if ("id" in route.value) last.value = route.value.id;
});

export function sessionInView(): string | null {
  const at = route.value;
  if ("id" in at) return at.id;
  return at.page === "settings" && hasThirdPane.value ? last.value : null;
}
