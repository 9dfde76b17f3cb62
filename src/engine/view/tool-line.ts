import { isBlank } from "./texts.ts";

export const TOOL_OUTPUT_CHARS = 2000;

/** A tool call that is not one of ours, as a line of text; `end` is null when nothing was reported about it. */
export function toolLine(
  title: string,
  end: { readonly outcome: string; readonly output: { readonly text: string } | null } | null,
): string {
  const output = (end?.output?.text ?? "").trim();
  const rest = output.length > TOOL_OUTPUT_CHARS ? "\n[cut]" : "";
  const shown = isBlank(output) ? "" : `: ${output.slice(0, TOOL_OUTPUT_CHARS)}${rest}`;
  return `[tool] ${title} -> ${end?.outcome ?? "unknown"}${shown}`;
}
