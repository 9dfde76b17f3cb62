import claude from "./claude.json" with { type: "json" };
import claudePrint from "./claude-print.json" with { type: "json" };
import codex from "./codex.json" with { type: "json" };
import codexPrint from "./codex-print.json" with { type: "json" };
import copilot from "./copilot.json" with { type: "json" };
import cursor from "./cursor.json" with { type: "json" };
import gemini from "./gemini.json" with { type: "json" };
import geminiPrint from "./gemini-print.json" with { type: "json" };
import { Manifest } from "./manifest.ts";
import opencode from "./opencode.json" with { type: "json" };
import opencodePrint from "./opencode-print.json" with { type: "json" };
import pi from "./pi.json" with { type: "json" };
import piPrint from "./pi-print.json" with { type: "json" };
import qwen from "./qwen.json" with { type: "json" };

/** The agents that Nomos knows without an added manifest. */
export function builtInManifests(): readonly Manifest[] {
  return [
    ...[claude, codex, opencode, gemini, pi, copilot, qwen, cursor],
    ...[claudePrint, codexPrint, opencodePrint, geminiPrint, piPrint],
  ].map((file) => Manifest.parse(file));
}
