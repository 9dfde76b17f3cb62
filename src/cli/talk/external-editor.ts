import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInTerminal } from "../screen/run-in-terminal.ts";
import type { Terminal } from "../terminal.ts";

/** Lets a person write the text in `$VISUAL` or `$EDITOR`. The file is theirs alone and is removed afterwards. */
export async function editOutside({ environment }: Terminal, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "nomos-prompt-"));
  const file = join(folder, "prompt.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const [command = "vi", ...args] = (environment["VISUAL"] || environment["EDITOR"] || "vi").trim().split(/\s+/);
    const exitCode = await runInTerminal(command, [...args, file]);
    return exitCode === 0 ? (await readFile(file, "utf8")).replace(/\n$/, "") : text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
