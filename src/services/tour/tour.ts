import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SESSIONS } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { Supervisor } from "../../supervisor/index.ts";

const TOUR_LABEL = "tour";
const FIRST_PROMPT = [
  "say Welcome to Nomos. This is a session: durable, forkable, resumable.",
  "write hello.txt written by the demo driver",
  "run cat hello.txt; echo; date",
  "say Prompt me with lines like these: say, write, run, sleep, ask. Everything I do is in the log.",
].join("\n");

interface TourSession {
  readonly id: string;
  readonly name: string;
}

/** Creates a demo session to watch, prompt, fork and rewind without a model key. Created once; a later start reuses it. */
export async function startTour(
  { store, supervisor }: { readonly store: Store; readonly supervisor: Supervisor },
  workspaces: string,
): Promise<TourSession> {
  const rows = await store.rows(SESSIONS, { limit: 200, where: { alive: true, shown: true } });
  const known = rows.find((row) => row.label === TOUR_LABEL && row.adapter === "demo");
  if (known !== undefined) return known;
  const cwd = join(workspaces, "tour");
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  const events = await supervisor.open(
    { adapter: "demo", cwd, label: TOUR_LABEL, prompt: FIRST_PROMPT },
    { actor: "operator" },
  );
  const id = events[0]?.stream.slice("session/".length) ?? "";
  const made = await store.row(SESSIONS, id);
  return { id, name: made?.name ?? "" };
}
