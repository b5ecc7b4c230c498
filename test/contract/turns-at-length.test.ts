// @module-tag long
import { describeTurnsAtLength } from "./turns/suite.ts";

describeTurnsAtLength("node");
