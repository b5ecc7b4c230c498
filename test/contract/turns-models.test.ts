import { describeTurnsInFull } from "./turns/suite.ts";

describeTurnsInFull("models");
