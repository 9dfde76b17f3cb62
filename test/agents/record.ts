import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** What an agent is asked to do, in the order of the table. */
export const VERBS = {
  check: "found in its version, and introduces itself",
  write: "writes a file when told to",
  reject: "asks first, and a no is a no",
  cancel: "stops within 4 s when interrupted, and takes the next prompt",
  tools: "calls a tool of Nomos's own MCP server, as its session",
  parallel: "five sessions at once, each in its own directory",
  agentKilled: "kill -9 of the agent in a turn: the turn is cut, the next one remembers",
  daemonKilled: "kill -9 of the daemon in a turn: the agent dies too, the next turn remembers",
  resume: "a graceful stop and start: the next turn remembers",
  cycles: "start, prompt, kill, again and again: no process, no open file, no temp directory is left",
} as const;

export type Verb = keyof typeof VERBS;

export const Cell = z.object({
  /** `no`: the agent does not offer it, and what Nomos does then was seen to work. */
  works: z.enum(["yes", "no"]),
  note: z.string().default(""),
  ms: z.number().int(),
});
export const AgentRecord = z.object({
  agent: z.string(),
  packages: z.array(z.string()),
  date: z.string(),
  verbs: z.partialRecord(
    z.enum([
      "check",
      "write",
      "reject",
      "cancel",
      "tools",
      "parallel",
      "agentKilled",
      "daemonKilled",
      "resume",
      "cycles",
    ]),
    Cell,
  ),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

export const RESULTS = join(import.meta.dirname, "results");

/** What was seen before; null for an agent that was never run. */
export async function readRecord(agent: string): Promise<AgentRecord | null> {
  const text = await readFile(join(RESULTS, `${agent}.json`), "utf8").catch(() => null);
  return text === null ? null : AgentRecord.parse(JSON.parse(text));
}

export async function writeRecord(record: AgentRecord): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${record.agent}.json`), `${JSON.stringify(record, null, 2)}\n`);
}
