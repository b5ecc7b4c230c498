// What a person set and storage did not take: said where settings are made and where sessions are listed.
import { unkeptChoice } from "../app/keep-choice.ts";

export function UnkeptNotice() {
  return (
    unkeptChoice.value !== null && (
      <p class="notice bad" role="alert">
        <span>{unkeptChoice.value}</span>
      </p>
    )
  );
}
