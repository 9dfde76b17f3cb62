import type { InputOf } from "../../src/client/index.ts";

/** What the form holds; every text as it was typed. */
export interface ServerDraft {
  readonly name: string;
  readonly kind: string;
  readonly command: string;
  readonly url: string;
  readonly secret: string;
}

export const NO_SERVER: ServerDraft = { name: "", kind: "program", command: "", url: "", secret: "" };

/** One line is one argument: no shell reads them, so nothing has to be quoted. */
export function serverInput({ name, kind, command, url, secret }: ServerDraft): InputOf<"mcp-server.add"> {
  const secrets = linesOf(secret);
  return kind === "program"
    ? { name: name.trim(), argv: [...linesOf(command)], ...(secrets.length === 0 ? {} : { env: [...secrets] }) }
    : { name: name.trim(), url: url.trim(), ...(secrets.length === 0 ? {} : { header: [...secrets] }) };
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
