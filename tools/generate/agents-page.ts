import { builtInManifests } from "../../src/drivers/manifests/built-in.ts";
import { RECIPES } from "../../test/agents/recipes.ts";
import { type AgentRecord, readRecord, VERBS } from "../../test/agents/record.ts";
import { code, page, table } from "./markdown.ts";

/** The tested behaviour of real agents, from test/agents/results (`npm run test:agents -- --record`). */
export function agentsPage(): string {
  const records = RECIPES.flatMap(({ slug }) => readRecord(slug) ?? []);
  const rows = records.map((record) => [code(record.agent), ...Object.keys(VERBS).map((verb) => cellOf(record, verb))]);
  return page(
    "Agents",
    INTRODUCTION,
    "## What was seen",
    table(["agent", ...Object.keys(VERBS)], rows),
    "`yes`: seen to work. `no`: the agent does not offer it, and Nomos was seen to cope. `fails`: it does not work today. After each of them no process of the agent's ran and nothing of its lay in a temp directory.",
    Object.entries(VERBS)
      .map(([verb, what]) => `- **${verb}**: ${what}`)
      .join("\n"),
    "## Which versions",
    table(["agent", "packages", "seen on"], records.map(versionRow)),
    "## How they differ",
    table(
      ["agent", "asks for permission", "our tools", "memory after its process is gone", "one process"],
      RECIPES.map(differences),
    ),
    "## Not run",
    notRun(),
  );
}

const INTRODUCTION = `These are real agents in the versions that \`nomos driver install\` installs, driven through a real daemon. Their model is a server on loopback that speaks the vendors' streaming formats (Anthropic messages, OpenAI chat completions and responses, Gemini) and does what the prompt says. So the tests need no model key, and say nothing about how well an agent works.

\`\`\`sh
npm run test:agents                 # claude, codex, opencode, pi, codex-print: on every change
npm run test:agents -- --print      # the one-shot programs
npm run test:agents -- --all        # all agents
npm run test:agents -- --only pi --verbs cycles --cycles 100
npm run test:agents -- --all --record
\`\`\`

Agents are installed outside the repository, in \`$XDG_CACHE_HOME/nomos-agents\` (2.7 GB for all). An agent that cannot be installed fails the run. \`--record\` rewrites this page.`;

function cellOf({ verbs }: AgentRecord, verb: string): string {
  const cell = verbs[verb];
  if (cell === undefined) return "not run";
  return cell.note === "" ? cell.works : `${cell.works}: ${cell.note}`;
}

function versionRow({ agent, packages, verbs }: AgentRecord): readonly string[] {
  const dates = Object.values(verbs)
    .map(({ date }) => date)
    .sort();
  const [first = "", last = ""] = [dates.at(0), dates.at(-1)];
  return [code(agent), packages.map(code).join(" "), first === last ? first : `${first} to ${last}`];
}

function differences({ slug, asksOn, takesTools, comesBack, writesIn }: (typeof RECIPES)[number]): readonly string[] {
  const manifest = builtInManifests().find(({ id }) => id === slug);
  const asks = { write: "before it writes", escalate: "only to leave its own sandbox" };
  return [
    code(slug),
    asksOn === null
      ? writesIn === undefined
        ? NEVER
        : `never: it writes in its mode ${code(writesIn)}`
      : asks[asksOn],
    takesTools ? "yes" : "no",
    comesBack === "native" ? "its own" : "its own where it has saved it, else a digest of the log",
    writesIn !== undefined
      ? "for each turn"
      : manifest?.capabilities.many_sessions === true
        ? "for all sessions of a directory"
        : "for each session",
  ];
}

const NEVER = "never: only a sandbox holds it";

function notRun(): string {
  const run = new Set(RECIPES.map(({ slug }) => slug));
  const others = builtInManifests().filter(({ id }) => !run.has(id));
  return others.map(({ id, unproved }) => `- ${code(id)}: ${unproved ?? "nobody has written how"}`).join("\n");
}
