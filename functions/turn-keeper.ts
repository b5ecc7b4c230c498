// Continues turns whose client or process is gone.

export interface TurnId {
  sandboxId: string;
  turnId: string;
}

/** Continues turns that a request of this process began. No method rejects. */
export interface TurnKeeper {
  /** A turn begins. From now on, the end of its process is noticed. */
  watch(turn: TurnId): Promise<void>;
  /** No process runs the turn now. `broken`: an error interrupted it, so it is not tried again immediately. */
  take(turn: TurnId, broken: boolean): Promise<void>;
  /** The turn has ended. */
  forget(turn: TurnId): Promise<void>;
}
