import { proveAgent } from "../prove-agent.ts";

proveAgent("claude-print");
