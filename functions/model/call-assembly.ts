// Assembles tool calls from fragments whose ids and indexes may be missing or repeated. It does not judge the calls.

import { type JsonRecord, parseRecord } from "./json-value.ts";
import type { CallFragment } from "./wires/chunk-fields.ts";

/**
 * A call as it was received: `arguments` may be invalid JSON, and `id` is '' if the provider sent none or repeated one.
 */
export interface AssembledCall {
  id: string;
  name: string;
  arguments: string;
  /** Sent back with the call, unread. */
  extra?: JsonRecord;
}

interface Slot extends AssembledCall {
  taken: boolean;
}

export class CallAssembly {
  #slots: Slot[] = [];
  /** How many slots have been returned, counted from the first. */
  #taken = 0;
  #takenIds = new Set<string>();
  /** The newest slot of each index. */
  #at = new Map<number, Slot>();
  #knownNames: ReadonlySet<string>;

  constructor(knownNames: ReadonlySet<string>) {
    this.#knownNames = knownNames;
  }

  get empty(): boolean {
    return this.#slots.length === 0;
  }

  /**
   * Adds `fragment`. If it begins a call, returns the calls before it, in order, up to the first that is
   * incomplete.
   */
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

  /** All remaining calls, in order, without those that have neither a name nor arguments. */
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
    // The fragment cannot begin a call, so it continues the last one, whatever its index.
    if (name === "" && (id === "" || id === last?.id || last?.id === "")) return last;
    if (index !== undefined) return undefined;
    const same = id === "" ? last : this.#slots.findLast((slot) => slot.id === id);
    if (same === undefined || (id === "" && name !== same.name)) return undefined;
    return this.#beginsAnother(same, fragment) ? undefined : same;
  }

  /**
   * Whether a fragment with the same index or id as `slot` begins a second call: some providers give all calls the
   * index 0.
   */
  #beginsAnother(slot: Slot, { id, name, arguments: args, whole }: CallFragment): boolean {
    if (name === "") return false;
    if (id !== "" && slot.id !== "" && id !== slot.id) return true;
    if (id !== "" && id === slot.id && name === slot.name && (args === slot.arguments || args === ""))
      return false;
    // If a call has no arguments yet, only another known name shows that a new call begins.
    if (name !== slot.name && this.#knownNames.has(name) && this.#knownNames.has(slot.name)) return true;
    return whole || (isComplete(slot) && args.trim().startsWith("{"));
  }

  #extend(slot: Slot, fragment: CallFragment): void {
    if (slot.id === "") slot.id = fragment.id;
    if (fragment.extra) slot.extra = fragment.extra;
    if (slot.name === "") slot.name = fragment.name;
    else if (fragment.name !== "" && fragment.name !== slot.name && !this.#knownNames.has(slot.name))
      slot.name += fragment.name;
    // Some providers repeat the whole call with the last chunk, which adds nothing.
    const recap = slot.arguments !== "" && fragment.arguments === slot.arguments && isComplete(slot);
    if (!slot.taken && !recap) slot.arguments += fragment.arguments;
  }
}

function fragmentCall({ id, name, arguments: args, extra }: CallFragment): AssembledCall {
  return { id, name, arguments: args, ...(extra ? { extra } : {}) };
}

/** Looking at the end first avoids parsing the growing text for every fragment. */
function isComplete({ arguments: text }: AssembledCall): boolean {
  return text.trimEnd().endsWith("}") && parseRecord(text) !== undefined;
}
