import { describeTurns } from "../contract/turns/suite.ts";

describeTurns("workerd");
