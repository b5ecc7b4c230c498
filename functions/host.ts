// The platforms that run the edge, as data.

/** The differences between platforms. */
export interface EdgeHost {
  runtime: "node" | "deno" | "workerd";
  /** true = a turn runs to its end when its client detaches; false = it must stop within the platform's grace. */
  continuesUnattended: boolean;
  /** true = requests share one process whose objects may be touched from any request (not so on workerd). */
  sharesTurns: boolean;
  /** true = if a process has to leave a turn, another continues it at once, without the client. */
  handsOver?: boolean;
}
