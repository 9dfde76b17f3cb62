import * as z from "zod";
import { SessionId, type SessionWire } from "../../contract/index.ts";
import { dataIn, type Line, SESSION_EVENTS, Session, sessionStream, type View } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { type Context, read, type Syscall } from "../define.ts";
import { showSession } from "./answer.ts";
import { lastLines } from "./lines.ts";

const PROMPTS_SHOWN = 10;
const LINES_SHOWN = 40;
const PROMPT_CHARS_SHOWN = 1000;

export const sessionHandoff: Syscall = read({
  name: "session.handoff",
  summary: "Write a handoff with which another agent can continue: task, state, todo, artifacts, last messages",
  permission: "session.read",
  roles: ["viewer", "session", "below"],
  needs: ["bounds", "store"],
  about: "session",
  input: z.object({ id: SessionId }),
  output: z.object({ id: z.string(), text: z.string().describe("Markdown") }),
  errors: ["session_not_found"],
  http: { method: "GET", path: "/sessions/:id/handoff" },
  cli: { positional: ["id"] },
  mcp: {
    prompt: true,
    resource: {
      uri: "nomos://sessions/{id}/handoff",
      title: "A session as the next agent needs it",
      mediaType: "text/markdown",
    },
    shows: ({ text }) => [{ mediaType: "text/markdown", content: { text } }],
  },
  answer: async (context, { id }) => ({ id, text: await handoffText(context, id) }),
});

async function handoffText(context: Context<"bounds" | "store">, id: string): Promise<string> {
  const { store } = context.services;
  const session = await showSession(context, id);
  const { view } = await store.fold(Session, id);
  const asked = await store.readStream(sessionStream(id), {
    limit: PROMPTS_SHOWN,
    types: ["turn.admitted"],
    descending: true,
  });
  const lines = await lastLines(store, id, LINES_SHOWN);
  return [
    ...facts(session),
    ...chapter("Asked, oldest first", [...asked.events].reverse().flatMap(promptOf)),
    ...todo(view),
    ...artifacts(view),
    ...chapter("Last words", quoted(lines)),
  ].join("\n");
}

function facts(session: SessionWire): readonly string[] {
  const { name, id, label, agent, cwd, state, queued, waitingFor, forkedFrom } = session;
  return [
    `# Handoff of session ${name}${label === undefined ? "" : ` (${oneLine(label)})`}`,
    "",
    `- id: ${id}`,
    `- agent: ${agent}`,
    `- directory: ${oneLine(cwd)}`,
    `- state: ${state}, ${queued} queued${waitingFor === undefined ? "" : `, waits for ${waitingFor}`}`,
    ...(forkedFrom === undefined ? [] : [`- forked from: ${forkedFrom.sessionId} at ${forkedFrom.eventId}`]),
  ];
}

function chapter(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

function promptOf(event: RecordedEvent): readonly string[] {
  const prompt = dataIn(SESSION_EVENTS, [event], "turn.admitted@1")?.prompt;
  if (prompt === undefined) return [];
  return [`- ${prompt.slice(0, PROMPT_CHARS_SHOWN).replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, "\n  ")}`];
}

const BOX = { open: "[ ]", active: "[>]", done: "[x]" } as const;

function todo(view: View): readonly string[] {
  return chapter(
    "Todo",
    view.todo.map(({ status, text }) => `- ${BOX[status]} ${oneLine(text)}`),
  );
}

function artifacts(view: View): readonly string[] {
  const lines = Object.entries(view.artifacts).flatMap(([path, { versions }]) => {
    const current = versions.at(-1);
    return current === undefined ? [] : [`- ${oneLine(path)} (version ${current.version}, ${current.bytes} bytes)`];
  });
  return chapter("Artifacts", lines);
}

/** Removes line breaks from names and labels, which could forge a heading or a list item. */
function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n\u0085\u2028\u2029]\s*/g, " ⏎ ");
}

/** The fence is longer than any run of backticks inside it. */
function quoted(lines: readonly Line[]): readonly string[] {
  if (lines.length === 0) return [];
  const text = lines.map(({ line }) => line).join("\n");
  const ticks = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(ticks + 1);
  return [fence, text, fence];
}
