import { proveAgent } from "../prove-agent.ts";

proveAgent("codex-print");
