import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What an agent is tested for, in the order of the table. */
export const VERBS = {
  check: "is found in its version, and introduces itself",
  write: "writes a file when told to",
  reject: "asks first, and a no is a no",
  cancel: "stops within 4 s when interrupted, and takes the next prompt",
  tools: "calls a tool of Nomos's own MCP server, as its session",
  parallel: "five sessions at once, each in its own directory",
  agentKilled: "`kill -9` of the agent in a turn: the turn is cut, the next one remembers",
  daemonKilled: "`kill -9` of the daemon in a turn: the agent dies too, the next turn remembers",
  resume: "a graceful stop and start of the daemon: the next turn remembers",
  walls: "tries to get out of a strict session by its shell, and does not",
  cycles: "start, prompt, kill, over and over: no process, open file or temp directory stays",
} as const;

export type Verb = keyof typeof VERBS;

const Cell = z.object({
  /** `no`: the agent does not offer it, and Nomos was seen to handle that. */
  works: z.enum(["yes", "no", "fails"]),
  note: z.string(),
  /** Date of the test: a run need not cover everything. */
  date: z.string(),
});
const AgentRecord = z.object({
  agent: z.string(),
  /** Installed packages with their exact versions. */
  packages: z.array(z.string()),
  verbs: z.record(z.string(), Cell),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

const RESULTS = join(import.meta.dirname, "results");

/** The last record; null for an agent that was never run. */
export function readRecord(agent: string): AgentRecord | null {
  const file = join(RESULTS, `${agent}.json`);
  return existsSync(file) ? AgentRecord.parse(JSON.parse(readFileSync(file, "utf8"))) : null;
}

/** Merged with earlier results of the same packages. */
export function writeRecord(record: AgentRecord): void {
  mkdirSync(RESULTS, { recursive: true });
  const before = readRecord(record.agent);
  const isSame = before?.packages.join() === record.packages.join();
  const verbs = { ...(isSame ? before?.verbs : {}), ...record.verbs };
  const ordered = Object.keys(VERBS).flatMap((verb) => (verbs[verb] === undefined ? [] : [[verb, verbs[verb]]]));
  const text = JSON.stringify({ ...record, verbs: Object.fromEntries(ordered) }, null, 2);
  writeFileSync(join(RESULTS, `${record.agent}.json`), `${text}\n`);
}
