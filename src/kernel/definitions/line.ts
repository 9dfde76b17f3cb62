/** A line of output (AIP-46). Clients find a turn's end by its line. */
export interface Line {
  readonly line: string;
  readonly stream: "stdout" | "stderr";
}

/** A text may contain line breaks, also a name that an agent gives. */
export function linesOfText(text: string, stream: Line["stream"], prefix = ""): readonly Line[] {
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  return lines.map((line) => ({ line: prefix + line, stream }));
}

export const out = (text: string): readonly Line[] => linesOfText(text, "stdout");
export const err = (text: string): readonly Line[] => linesOfText(text, "stderr");
