import { open } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { type Client, ClientError, type LogEvent } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { toolTitle } from "../transcript/tool-lines.ts";
import type { SlashContext } from "./slash-context.ts";

const PAGE = 500;
const OUTPUT_CHARS_WRITTEN = 20_000;

/** Writes the conversation as Markdown, or every event as a line of JSON. Never over a file that is there. */
export async function exportSession(context: SlashContext, given: string): Promise<string> {
  const { terminal, client, id, name } = context;
  const path = resolve(terminal.cwd, given === "" ? `${name}.md` : inHome(given, terminal.environment["HOME"]));
  const isMarkdown = extname(path) !== ".jsonl" && extname(path) !== ".json";
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    throw new ClientError("usage", {
      message: `The file cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
      remedy: "Name another file: /export FILE",
    });
  });
  let count = 0;
  try {
    if (isMarkdown) await file.write(headOf(context));
    for await (const event of eventsOf(client, id, isMarkdown)) {
      count += 1;
      await file.write(isMarkdown ? await markdownOf(client, event) : `${JSON.stringify(event)}\n`);
    }
  } finally {
    await file.close();
  }
  return `Wrote ${count} events to ${path}`;
}

/** No shell reads the name, so `~` is ours to read. */
function inHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith("~/") ? resolve(home, path.slice(2)) : path;
}

/** In Markdown only what still counts; a rewind's other branch is in the events. */
async function* eventsOf(client: Client, id: string, isPath: boolean): AsyncGenerator<LogEvent> {
  let after: number | undefined;
  while (true) {
    const asked = { id, limit: PAGE, order: "asc" as const, ...(isPath ? { view: "path" as const } : {}) };
    const page = await client.call("session.events", { ...asked, ...(after === undefined ? {} : { after }) });
    yield* page.events;
    if (page.next === null) return;
    after = page.next;
  }
}

function headOf({ session: { name, agent, cwd, startedAt, title } }: SlashContext): string {
  return `# ${title ?? name}\n\nSession ${name} of ${agent}, in \`${cwd}\`, from ${startedAt}.\n`;
}

async function markdownOf(client: Client, { type, data, at }: LogEvent): Promise<string> {
  const text = (key: string): string => String(memberOf(data, key) ?? "");
  switch (type) {
    case "turn.admitted@1":
      return `\n## ${at}\n\n${quoted(await wholeOf(client, data, text("prompt")))}\n`;
    case "turn.steered@1":
      return `\n${quoted(await wholeOf(client, data, text("text")))}\n`;
    case "message.completed@1": {
      const said = await wholeOf(client, data, text("text"));
      return text("role") === "thought"
        ? `\n<details><summary>Thought</summary>\n\n${said}\n\n</details>\n`
        : `\n${said}\n`;
    }
    case "tool.called@1":
      return `\n**Tool:** ${inCode(toolTitle(data))}\n`;
    case "effect.intended@1":
      return memberOf(data, "callId") === undefined ? `\n**Tool:** ${inCode(toolTitle(data))}\n` : "";
    case "effect.output@1":
      return fenced(text("text"));
    case "approval.requested@1":
      return `\n**Question:** ${text("question")}\n`;
    case "approval.answered@1":
      return `\n**Answer:** ${[text("status"), text("option"), text("reason")].filter((part) => part !== "").join(", ")}\n`;
    case "turn.ended@1": {
      const message = memberOf(memberOf(data, "error"), "message");
      return `\n*${text("outcome")}${typeof message === "string" ? `: ${message}` : ""}*\n`;
    }
    default:
      return "";
  }
}

/** A long text is in a blob; its event holds the beginning. */
async function wholeOf(client: Client, data: unknown, begin: string): Promise<string> {
  const sha256 = memberOf(data, "blob");
  if (typeof sha256 !== "string") return begin;
  const { content, encoding } = await client.call("blob.read", { sha256 });
  return encoding === "utf8" ? content : begin;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

/** A fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `\n${fence}\n${text.slice(0, OUTPUT_CHARS_WRITTEN).replace(/\n$/, "")}\n${fence}\n`;
}

function inCode(text: string): string {
  return text.includes("`") ? text : `\`${text}\``;
}
