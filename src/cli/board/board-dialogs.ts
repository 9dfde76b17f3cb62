import type { Session } from "../../client/index.ts";
import { turnPage } from "./board-actions.ts";
import type { Board } from "./board-context.ts";
import { shortPath } from "./board-screen.ts";
import { type Choice, LIST, type Mode } from "./board-state.ts";

/** Drivers that a prompt alone does not start: one needs a file, the other is started elsewhere. */
const NOT_TYPED: readonly string[] = ["script", "external"];
const FOLDERS_MAX = 20;
const PROMPT_CHARS_SHOWN = 60;

export function askKillOf({ state, client, run }: Board, { id, name }: Session): void {
  state.mode = {
    is: "confirm",
    opener: "k",
    text: `Kill ${name}? Its transcript and files are kept. Enter kills; keep typing to write a task.`,
    run: () =>
      run(async () => {
        await client.call("session.kill", { id });
        return `${name} was killed.`;
      }),
  };
}

export function askForkOf({ state, client, run }: Board, { id, name }: Session): void {
  state.mode = {
    is: "confirm",
    opener: "f",
    text: `Fork ${name} as it is now? Enter forks; keep typing to write a task.`,
    run: () =>
      run(async () => {
        const fork = await client.call("session.fork", { id });
        state.selected = fork.id;
        return `${fork.name} was forked from ${name}.`;
      }),
  };
}

/**
 * Opens a dialog at once and fills it when the daemon has answered. A person who types on or goes back meanwhile has
 * left it, and it does not come back.
 */
function openDialog(board: Board, opener: string, title: string, fill: () => Promise<Mode>): void {
  const waiting: Mode = { is: "page", title, lines: ["…"], opener, isWaiting: true };
  board.state.mode = waiting;
  board.state.scrolled = 0;
  board.run(async () => {
    try {
      const mode = await fill();
      if (board.state.mode === waiting) board.state.mode = mode;
    } catch (thrown) {
      if (board.state.mode === waiting) board.state.mode = LIST;
      throw thrown;
    }
    return null;
  });
}

export function showDiff(board: Board, session: Session, turn: number | null): void {
  const { client, terminal } = board;
  openDialog(board, "d", `Changes of ${session.name}`, async () => {
    const page = await turnPage(client, session, turn, terminal.columns);
    const lines = page.lines.length === 0 ? ["This turn changed no files."] : page.lines;
    const other = (by: number): void => {
      if (page.turn + by > 0) showDiff(board, session, page.turn + by);
    };
    return { is: "page", title: page.title, lines, opener: "d", turn: other };
  });
}

export function chooseRewind(board: Board, session: Session): void {
  const { client, run } = board;
  const title = `Rewind ${session.name} to the end of which turn? Its files go back too.`;
  openDialog(board, "r", title, async () => {
    const { turns } = await client.call("session.turns", { id: session.id, limit: 100 });
    const back =
      (turn: number): Choice["run"] =>
      () =>
        run(async () => {
          await client.call("session.rewind", { id: session.id, turn });
          return turn === 0 ? `${session.name} is at its beginning.` : `${session.name} is at the end of turn ${turn}.`;
        });
    const items = turns
      .filter(({ rewound, outcome }) => !rewound && outcome !== null)
      .map(({ turn, prompt }) => ({
        label: `${turn}  ${prompt?.slice(0, PROMPT_CHARS_SHOWN) ?? "(erased)"}`,
        run: back(turn),
      }))
      .reverse();
    const first = { label: "0  before the first turn", run: back(0) };
    return { is: "choose", title, items: [...items, first], at: 0, opener: "r" };
  });
}

/** First the agent, then the folder; then the task is typed. */
export function chooseNew(board: Board): void {
  const { state, client } = board;
  const title = "Which agent?";
  openDialog(board, "n", title, async () => {
    const [{ agents }, { drivers }] = await Promise.all([
      client.call("agent.list", {}),
      client.call("driver.list", {}),
    ]);
    const isReady = (driver: string): boolean => drivers.some(({ slug, installed }) => slug === driver && installed);
    const items = agents
      .filter(({ driver }) => !NOT_TYPED.includes(driver))
      .sort((one, other) => Number(isReady(other.driver)) - Number(isReady(one.driver)))
      .map(({ slug, driver }) => ({
        label: isReady(driver) ? slug : `${slug} (not installed: nomos driver install ${driver})`,
        run: () => {
          state.agent = slug;
          chooseFolder(board);
        },
      }));
    const at = Math.max(
      0,
      items.findIndex(({ label }) => label === state.agent),
    );
    return { is: "choose", title, items, at, opener: "n" };
  });
}

function chooseFolder(board: Board): void {
  const { state, terminal, editor } = board;
  const typing = (folder: string): void => {
    state.folder = folder;
    state.mode = { is: "typing" };
  };
  const known = [terminal.cwd, ...state.rows.map(({ session }) => session.cwd)];
  const folders = [...new Set(known)].slice(0, FOLDERS_MAX);
  const other: Choice = {
    label: "another folder",
    run: () => {
      editor.set(`${terminal.cwd}/`);
      state.mode = { is: "ask", label: "Folder:", run: typing };
    },
  };
  const items = [...folders.map((folder) => ({ label: shortPath(folder), run: () => typing(folder) })), other];
  state.mode = { is: "choose", title: "In which folder?", items, at: 0, opener: "n" };
}
