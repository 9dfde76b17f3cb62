import type { Client } from "../../client/index.ts";
import { chooseAgent } from "../follow-turn.ts";
import { NO_LANDINGS } from "../landing/open-landings.ts";
import { beforeLast } from "../recent.ts";
import { openFullScreen } from "../screen/full-screen.ts";
import { openKeyInput, suspendProcess } from "../screen/key-input.ts";
import type { Key } from "../screen/keys.ts";
import { createEditor } from "../talk/editor.ts";
import type { Terminal } from "../terminal.ts";
import { previewOf, refusalOf } from "./board-actions.ts";
import type { Board } from "./board-context.ts";
import { handleKey } from "./board-keys.ts";
import { countsOf, matching, ordered } from "./board-rows.ts";
import { type Drawn, drawBoard } from "./board-screen.ts";
import { type BoardState, LIST, selectedRow } from "./board-state.ts";
import { openFeed } from "./feed.ts";

const FRAME_MS = 33;
const PREVIEW_MS = 80;
const AGE_MS = 1_000;
const EVENTS_SHOWN = 60;

/** The live board. Resolves when a person leaves it; sessions go on. */
export async function openBoard(terminal: Terminal, client: Client): Promise<void> {
  const done = Promise.withResolvers<void>();
  const state: BoardState = {
    ...{
      rows: [],
      counts: new Map(),
      landings: NO_LANDINGS,
      collisions: [],
      works: [],
      selected: null,
      mode: LIST,
      filter: "",
      message: null,
    },
    ...{ preview: [], scrolled: 0, isConnected: true, showsEnded: false },
    ...{ agent: "the default agent", folder: terminal.cwd },
  };
  const editor = createEditor();
  const screen = openFullScreen(terminal);
  let drawn: Drawn = drawBoard(state, editor, terminal.columns, terminal.rows);
  let frame: NodeJS.Timeout | undefined;
  const attention = createAttention(screen);
  const preview = createPreview(terminal, client, state, () => soon());

  const draw = (): void => {
    clearTimeout(frame);
    frame = undefined;
    preview.follow();
    drawn = drawBoard(state, editor, terminal.columns, terminal.rows);
    screen.draw(drawn.lines, drawn.cursor);
    feed.look(drawn.visible.map(({ session }) => session.id));
  };
  /** Many events make one picture. */
  const soon = (): void => {
    frame ??= setTimeout(draw, FRAME_MS);
  };
  /** Node reads the new size after the signal. */
  const resized = (): void => {
    screen.forget();
    setImmediate(draw);
  };
  const refresh = (): void => {
    const rows = ordered(feed.rows());
    state.counts = countsOf(rows);
    state.landings = feed.landings();
    state.collisions = feed.collisions();
    state.works = feed.works();
    state.rows = matching(rows, state.filter);
    state.isConnected = feed.isConnected();
    attention.see(state);
    soon();
  };
  const feed = openFeed(client, refresh, (thrown) => tell(refusalOf(thrown), true));
  const aside = (work: () => Promise<unknown>): void => {
    screen.leave();
    keys.pause();
    work()
      .catch((thrown: unknown) => tell(refusalOf(thrown), true))
      .finally(() => {
        keys.resume();
        screen.enter();
        refresh();
      });
  };
  const tell = (text: string, isWrong: boolean): void => {
    state.message = { text, isWrong };
    soon();
  };
  const board: Board = {
    ...{ terminal, client, state, editor },
    drawn: () => drawn,
    run: (work) =>
      void work().then(
        (text) => (text === null ? soon() : tell(text, false)),
        (thrown: unknown) => tell(refusalOf(thrown), true),
      ),
    questionSinceMs: attention.sinceMs,
    showEnded: (shown) => {
      state.showsEnded = shown;
      feed.withEnded(shown);
    },
    attach: (id) => aside(() => attachTo(terminal, client, id)),
    suspend: () => aside(suspendProcess),
    leave: () => done.resolve(),
  };
  const hear = (key: Key): void => {
    state.message = null;
    handleKey(board, key);
    state.rows = matching(ordered(feed.rows()), state.filter);
    draw();
  };
  const keys = openKeyInput(terminal, hear, board.leave);
  const ages = setInterval(soon, AGE_MS);
  process.on("SIGWINCH", resized);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, board.leave);
  board.run(async () => {
    state.agent = (await chooseAgent(client, undefined)).slug;
    return null;
  });
  draw();
  await done.promise;
  clearInterval(ages);
  clearTimeout(frame);
  process.off("SIGWINCH", resized);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, board.leave);
  feed.close();
  preview.close();
  keys.close();
  screen.close();
}

async function attachTo(terminal: Terminal, client: Client, id: string): Promise<void> {
  const { talkOn } = await import("../talk/talk.ts");
  const session = await client.call("session.show", { id });
  const after = await beforeLast(client, id, EVENTS_SHOWN);
  await talkOn(terminal, client, { session, after, until: null, verbose: false }, async () => undefined);
}

/** The window's title says how many sessions need a person; one more rings the bell. */
function createAttention(screen: ReturnType<typeof openFullScreen>) {
  let open = new Set<string>();
  let shown = "";
  let sinceMs = 0;
  return {
    sinceMs: () => sinceMs,
    see: (state: BoardState): void => {
      const now = new Set(state.rows.flatMap(({ questions }) => questions.map(({ id }) => id)));
      const count = state.counts.get("needs you") ?? 0;
      if ([...now].some((id) => !open.has(id))) screen.bell();
      open = now;
      screen.title(count === 0 ? "nomos" : `nomos: ${count} ${count === 1 ? "needs" : "need"} you`);
      const question = selectedRow(state)?.questions[0]?.id ?? "";
      if (question !== shown) sinceMs = Date.now();
      shown = question;
    },
  };
}

/** Reads the transcript of the selected session when it is another one or has moved on. */
function createPreview(terminal: Terminal, client: Client, state: BoardState, onChange: () => void) {
  let wanted = "";
  let owner = "";
  let timer: NodeJS.Timeout | undefined;
  return {
    follow: (): void => {
      const session = selectedRow(state)?.session;
      const version = `${session?.id} ${session?.head} ${terminal.columns}`;
      if (session === undefined || version === wanted) return;
      wanted = version;
      if (session.id !== owner) state.preview = [];
      owner = session.id;
      clearTimeout(timer);
      timer = setTimeout(() => {
        previewOf(client, session.id, terminal.columns).then(
          (lines) => {
            if (wanted !== version) return;
            state.preview = lines.slice(-Math.max(4, terminal.rows));
            onChange();
          },
          () => undefined,
        );
      }, PREVIEW_MS);
    },
    close: () => clearTimeout(timer),
  };
}
