import { describeSnapshots } from "./conformance/snapshots.ts";
import { describeMachines } from "./conformance/target.ts";

describeMachines(describeSnapshots);
