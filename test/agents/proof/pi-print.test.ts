import { proveAgent } from "../prove-agent.ts";

proveAgent("pi-print");
