// A long press, a right click or the menu key on a session: what can be done with it, without opening it.
import { openSheet } from "../browser/sheet.ts";

export function opensActions(id: string): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    openSheet({ kind: "actions", id });
  };
}
