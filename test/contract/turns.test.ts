import { describeTurns } from "./turns/suite.ts";

describeTurns("node");
