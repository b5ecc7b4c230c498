// Assembles tool calls from fragments whose ids and indexes may be missing or repeated. Does not judge the calls.

import { type JsonRecord, parseRecord } from "./json-value.ts";
import type { CallFragment } from "./wires/chunk-fields.ts";

/** A call as it came: `arguments` may not parse, `id` is '' where the provider gave none or gave it twice. */
export interface AssembledCall {
  id: string;
  name: string;
  arguments: string;
  /** Goes back with the call, unread. */
  extra?: JsonRecord;
}

interface Slot extends AssembledCall {
  taken: boolean;
}

export class CallAssembly {
  #slots: Slot[] = [];
  /** How many of the slots were taken, all from the first on. */
  #taken = 0;
  #takenIds = new Set<string>();
  /** The last slot of each index. */
  #at = new Map<number, Slot>();
  #knownNames: ReadonlySet<string>;

  constructor(knownNames: ReadonlySet<string>) {
    this.#knownNames = knownNames;
  }

  get empty(): boolean {
    return this.#slots.length === 0;
  }

  /** Calls that `fragment` shows to be complete: all before the one that it begins, in order. */
  add(fragment: CallFragment): AssembledCall[] {
    const slot = this.#slotOf(fragment);
    if (slot !== undefined) {
      this.#extend(slot, fragment);
      return [];
    }
    const before = this.#takeWhile((open) => isComplete(open));
    const begun = { ...fragmentCall(fragment), taken: false };
    this.#slots.push(begun);
    if (fragment.index !== undefined) this.#at.set(fragment.index, begun);
    return before;
  }

  /** Whatever is left, in order; calls without name and arguments are none. */
  finish(): AssembledCall[] {
    return this.#takeWhile(() => true).filter((call) => call.name !== "" || call.arguments !== "");
  }

  #takeWhile(ready: (slot: Slot) => boolean): AssembledCall[] {
    const taken: AssembledCall[] = [];
    for (let slot = this.#slots[this.#taken]; slot && ready(slot); slot = this.#slots[this.#taken]) {
      slot.taken = true;
      this.#taken += 1;
      const repeated = this.#takenIds.has(slot.id);
      const { taken: _, ...call } = slot;
      taken.push({ ...call, id: repeated ? "" : slot.id });
      this.#takenIds.add(slot.id);
    }
    return taken;
  }

  /** The call that `fragment` continues, or undefined if it begins a new one. */
  #slotOf(fragment: CallFragment): Slot | undefined {
    const { id, name, index } = fragment;
    const named = index === undefined ? undefined : this.#at.get(index);
    if (named !== undefined) return this.#beginsAnother(named, fragment) ? undefined : named;
    const last = this.#slots.at(-1);
    // It cannot begin a call, so it continues the last one, whatever its number.
    if (name === "" && (id === "" || id === last?.id || last?.id === "")) return last;
    if (index !== undefined) return undefined;
    const same = id === "" ? last : this.#slots.findLast((slot) => slot.id === id);
    if (same === undefined || (id === "" && name !== same.name)) return undefined;
    return this.#beginsAnother(same, fragment) ? undefined : same;
  }

  /** Whether a fragment with the index or id of `slot` is a second call: some providers number all calls 0. */
  #beginsAnother(slot: Slot, { id, name, arguments: args, whole }: CallFragment): boolean {
    if (name === "") return false;
    if (id !== "" && slot.id !== "" && id !== slot.id) return true;
    if (id !== "" && id === slot.id && name === slot.name && (args === slot.arguments || args === ""))
      return false;
    // Before its arguments came, or without any: only another known name tells.
    if (name !== slot.name && this.#knownNames.has(name) && this.#knownNames.has(slot.name)) return true;
    return whole || (isComplete(slot) && args.trim().startsWith("{"));
  }

  #extend(slot: Slot, fragment: CallFragment): void {
    if (slot.id === "") slot.id = fragment.id;
    if (fragment.extra) slot.extra = fragment.extra;
    if (slot.name === "") slot.name = fragment.name;
    else if (fragment.name !== "" && fragment.name !== slot.name && !this.#knownNames.has(slot.name))
      slot.name += fragment.name;
    // A recap of the whole call, as some providers send with the last chunk, adds nothing.
    const recap = slot.arguments !== "" && fragment.arguments === slot.arguments && isComplete(slot);
    if (!slot.taken && !recap) slot.arguments += fragment.arguments;
  }
}

function fragmentCall({ id, name, arguments: args, extra }: CallFragment): AssembledCall {
  return { id, name, arguments: args, ...(extra ? { extra } : {}) };
}

/** The look at the end saves parsing a growing text once per fragment. */
function isComplete({ arguments: text }: AssembledCall): boolean {
  return text.trimEnd().endsWith("}") && parseRecord(text) !== undefined;
}
