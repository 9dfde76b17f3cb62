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

const FILES = new Map(
  [
    ...[claude, codex, opencode, gemini, pi, copilot, qwen, cursor],
    ...[claudePrint, codexPrint, opencodePrint, geminiPrint, piPrint],
  ].map((file) => [file.id, file]),
);
const parsed = new Map<string, Manifest>();

/** The agents that Nomos knows without an added manifest. */
export function builtInSlugs(): readonly string[] {
  return [...FILES.keys()];
}

/** Parsed when it is first asked for: a daemon's start needs only the names. */
export function builtInManifest(slug: string): Manifest | null {
  const file = FILES.get(slug);
  const manifest = parsed.get(slug) ?? (file === undefined ? null : Manifest.parse(file));
  if (manifest !== null) parsed.set(slug, manifest);
  return manifest;
}

export function builtInManifests(): readonly Manifest[] {
  return builtInSlugs().flatMap((slug) => builtInManifest(slug) ?? []);
}
