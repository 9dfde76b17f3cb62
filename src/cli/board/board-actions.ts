import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { type Client, ClientError, type Session } from "../../client/index.ts";
import { bold, dim, type Text } from "../screen/styled.ts";
import { patchLines } from "../transcript/patch-lines.ts";
import { createScreenTranscript } from "../transcript/screen-transcript.ts";

const PREVIEW_EVENTS = 40;

/** The end of a session's transcript, as lines. */
export async function previewOf(client: Client, id: string, columns: number): Promise<readonly Text[]> {
  const { events } = await client.call("session.events", { id, order: "desc", limit: PREVIEW_EVENTS });
  const lines: Text[] = [];
  const ignored = (): void => undefined;
  const output = { print: (some: readonly Text[]) => void lines.push(...some), working: ignored, close: ignored };
  const transcript = createScreenTranscript({ columns }, { prompts: () => true, answers: "past" }, output);
  for (const event of [...events].reverse()) transcript.show({ event: "event", id: event.id, data: event });
  return lines;
}

export interface NewSession {
  readonly agent: string;
  readonly folder: string;
  readonly prompt: string;
}

export async function startSession(client: Client, { agent, folder, prompt }: NewSession): Promise<Session> {
  const { slug, driver } = await client.call("agent.show", { slug: agent });
  const input = { adapter: driver, agent: slug, cwd: resolve(folder), prompt };
  return client.call("session.start", input, { idempotencyKey: randomUUID() });
}

export interface TurnPage {
  readonly turn: number;
  readonly title: string;
  readonly lines: readonly Text[];
}

/** What one turn changed; the last one when none is named. */
export async function turnPage(
  client: Client,
  session: Session,
  turn: number | null,
  columns: number,
): Promise<TurnPage> {
  const diff = await client.call("session.diff", { id: session.id, ...(turn === null ? {} : { turn }) });
  const lines = diff.files.flatMap((file): readonly Text[] => [
    bold(`${file.change} ${file.path}`),
    ...(file.diff === null ? [dim(`  ${file.noDiff ?? ""}`)] : patchLines(file.diff, columns)),
    "",
  ]);
  const changed = `${diff.files.length} ${diff.files.length === 1 ? "file" : "files"} changed`;
  return { turn: diff.turn, title: `${session.name}, turn ${diff.turn}: ${changed}`, lines };
}

/** A refusal as a person reads it; anything else is a bug and is thrown. */
export function refusalOf(thrown: unknown): string {
  if (!(thrown instanceof ClientError)) throw thrown;
  return `${thrown.message} ${thrown.remedy}`;
}
