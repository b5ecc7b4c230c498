// Continues turns whose client or process is gone.

export interface TurnId {
  sandboxId: string;
  turnId: string;
}

/** Continues turns that a request of this process has begun. No method rejects. */
export interface TurnKeeper {
  /** A turn begins: from now on, somebody notices if its process dies. */
  watch(turn: TurnId): Promise<void>;
  /** Nobody runs it now. `broken`: something failed, so that it is not tried at once. */
  take(turn: TurnId, broken: boolean): Promise<void>;
  /** It has ended. */
  forget(turn: TurnId): Promise<void>;
}
