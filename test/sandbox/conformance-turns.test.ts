import { describeServer } from "./conformance/target.ts";
import { describeTurns } from "./conformance/turns.ts";

describeServer(describeTurns);
