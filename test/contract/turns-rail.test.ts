import { describeTurnsInFull } from "./turns/suite.ts";

describeTurnsInFull("rail");
