import type { Client, Session } from "../../client/index.ts";
import { parseArguments, usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { type Landing, NO_LANDINGS, needingPerson, openLandings, stateWords } from "../landing/open-landings.ts";
import { pause } from "../pause.ts";
import { outputLines } from "../print/print-output.ts";
import { oneLine } from "../print/table.ts";
import { formatted, matcherOf, needingFirst } from "../sessions/choose.ts";
import { stopByHand } from "../stop-by-hand.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";
import { type WorkInNeed, worksInNeed } from "../work/works-in-need.ts";

const LOOK_EVERY_MS = 1_000;
const PAGE_MAX = 1_000;
/** `--after` continues where the list stops. */
const LISTED_MAX = 5_000;

interface Listed {
  readonly sessions: readonly Session[];
  readonly next: string | null;
}

/** What is told below the table, and is no part of the list. */
interface Beside {
  readonly refused: readonly Landing[];
  readonly works: readonly WorkInNeed[];
}

interface Shape {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly format: string | null;
  /** What an empty list means. */
  readonly none: string;
}

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    all: { type: "boolean", short: "a" },
    watch: { type: "boolean", short: "w" },
    quiet: { type: "boolean", short: "q" },
    format: { type: "string" },
    filter: { type: "string", short: "f", multiple: true },
    limit: { type: "string" },
    after: { type: "string" },
  });
  if (positionals[0] !== undefined) throw usageError(`Unexpected argument "${positionals[0]}".`, EVERYDAY.ps.usage);
  const matcher = matcherOf(values.filter ?? [], terminal.cwd);
  const onlyAlive = values.all !== true && !matcher.wantsEnded;
  const page = {
    onlyAlive,
    ...(values.limit === undefined ? {} : { limit: Number(values.limit) }),
    ...(values.after === undefined ? {} : { after: values.after }),
  };
  const client = await connect(terminal);
  const isOnePage = values.limit !== undefined || values.after !== undefined;
  const isTable = !json && values.quiet !== true && values.format === undefined;
  const list = async (): Promise<Listed & Beside> => {
    const { sessions, next } = await (isOnePage ? client.call("session.list", page) : everything(client, onlyAlive));
    const refused = isTable ? needingPerson(await openLandings(client).catch(() => NO_LANDINGS)) : [];
    const works = isTable ? await worksInNeed(client).catch(() => []) : [];
    return { sessions: needingFirst(sessions.filter(matcher.matches)), next, refused, works };
  };
  const none =
    values.filter !== undefined
      ? "No session matches."
      : onlyAlive
        ? '`nomos run "prompt"` starts a session, `nomos ps --all` also shows those that have ended.'
        : '`nomos run "prompt"` starts a session.';
  const shape = { json, quiet: values.quiet === true, format: values.format ?? null, none };
  if (values.watch !== true) show(terminal, await list(), shape);
  else await watch(terminal, list, shape);
  return EXIT.ok;
};

/** Sessions that need somebody may be old, so all pages are read before they are sorted. */
async function everything(client: Client, onlyAlive: boolean): Promise<Listed> {
  let sessions: readonly Session[] = [];
  let after: string | null = null;
  do {
    const cursor: { after?: string } = after === null ? {} : { after };
    const page: Listed = await client.call("session.list", { onlyAlive, limit: PAGE_MAX, ...cursor });
    sessions = [...sessions, ...page.sessions];
    after = page.next;
  } while (after !== null && sessions.length < LISTED_MAX);
  return { sessions, next: after };
}

function show(terminal: Terminal, listed: Listed & Beside, shape: Shape): void {
  const { sessions, next } = listed;
  if (shape.json) terminal.printJson({ sessions, next });
  else for (const line of linesOf(terminal, listed, shape)) terminal.print(line);
}

function linesOf(
  terminal: Terminal,
  { refused, works, ...listed }: Listed & Beside,
  { quiet, format, none }: Shape,
): ReturnType<typeof outputLines> {
  if (quiet) return listed.sessions.map(({ name }) => name);
  if (format !== null) return listed.sessions.map((session) => formatted(format, session));
  const told = refused.map(
    (landing) => `${landing.sessionName}: ${oneLine(stateWords(landing))} Next: nomos landing show ${landing.id}`,
  );
  const nameOf = (id: string): string => listed.sessions.find((session) => session.id === id)?.name ?? id;
  const needed = works.map(
    ({ sessionId, why, next }) => `${nameOf(sessionId)}: ${oneLine(why)}. Next: ${oneLine(next)}`,
  );
  return [...(listed.sessions.length === 0 ? [none] : outputLines(terminal, listed)), ...told, ...needed];
}

/** On a terminal the table is redrawn in place; elsewhere each change is printed below the last. */
async function watch(terminal: Terminal, list: () => Promise<Listed & Beside>, shape: Shape): Promise<void> {
  const stop = stopByHand();
  const page = terminal.hasCursor && !shape.json ? terminal.openPage() : null;
  try {
    let shown = "";
    while (!stop.aborted) {
      const output = await list();
      if (page !== null) page.draw(linesOf(terminal, output, shape));
      else if (JSON.stringify(output) !== shown) show(terminal, output, shape);
      shown = JSON.stringify(output);
      await pause(LOOK_EVERY_MS, stop);
    }
  } finally {
    page?.close();
  }
}
