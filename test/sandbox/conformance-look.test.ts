import { describeLooks } from "./conformance/look.ts";
import { describeMachines } from "./conformance/target.ts";

describeMachines(describeLooks);
