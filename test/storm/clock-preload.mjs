// Node loads this file before a server's own code. It shifts Date by the value in a file, as if the clock had been set.
// SIGUSR2 reads the file again. Monotonic time (timers, performance.now) continues, as on a real machine.
import { readFileSync } from "node:fs";

const RealDate = Date;
let shiftMs = 0;
const read = () => {
  try {
    shiftMs = Number(readFileSync(process.env.STORM_CLOCK ?? "", "utf8"));
  } catch {
    shiftMs = 0;
  }
};
read();
process.on("SIGUSR2", read);

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
