// @module-tag long
import { describeTurnsAtLength } from "../contract/turns/suite.ts";

describeTurnsAtLength("deno");
