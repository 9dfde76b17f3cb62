import { proveAgent } from "../prove-agent.ts";

proveAgent("gemini-print");
