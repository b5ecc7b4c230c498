// The result of one check of `handrail doctor`.

export interface DoctorFinding {
  /** `warn`: Handrail works without it. */
  state: "ok" | "warn" | "fail";
  what: string;
  text: string;
  /** The one command that fixes it. */
  mend?: string;
}

export function inWords(findings: readonly DoctorFinding[]): string {
  const marks = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
  const lines = findings.flatMap(({ state, what, text, mend }) => [
    `${marks[state]}  ${what.padEnd(11)} ${text}`,
    ...(mend ? [`                  mend it: ${mend}`] : []),
  ]);
  const failed = findings.filter(({ state }) => state === "fail").length;
  const warned = findings.filter(({ state }) => state === "warn").length;
  const sum = failed > 0 ? `${failed} to mend before a start` : "ready to start";
  return [...lines, "", warned > 0 ? `${sum}; ${warned} that it works without` : sum].join("\n");
}
