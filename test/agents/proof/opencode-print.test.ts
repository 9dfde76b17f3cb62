import { proveAgent } from "../prove-agent.ts";

proveAgent("opencode-print");
