import {
  chooseCandidate,
  FanoutStream,
  type KnownFanout,
  LANDINGS,
  settleFanout,
  standing,
} from "../../domains/index.ts";
import { Session } from "../../kernel/index.ts";
import { DAEMON, type FanOutDeps } from "./fan-out-deps.ts";
import { type Judges, judgeable } from "./judge-candidates.ts";
import type { Watched } from "./watched-sessions.ts";

/** The newest landing of a candidate is the choice, whichever command made it. */
export async function noteLandings(
  { store, committer }: FanOutDeps,
  watched: Pick<Watched, "addLanding">,
  id: string,
  state: KnownFanout,
): Promise<void> {
  const over: string[] = [];
  let newest: { readonly id: string; readonly sessionId: string } | null = null;
  for (const { sessionId } of state.tried) {
    const [landing] = await store.rows(LANDINGS, { limit: 1, where: { session: sessionId } });
    if (landing !== undefined) {
      watched.addLanding(id, landing.id);
      if (newest === null || landing.id > newest.id) newest = { id: landing.id, sessionId };
    }
    if (landing?.at === "landed" || (await store.fold(Session, sessionId)).forgotten) over.push(sessionId);
  }
  const chosen = newest;
  if (chosen !== null)
    await committer.change(FanoutStream, id, (now) => chooseCandidate(now, chosen.sessionId, chosen.id), DAEMON);
  await committer.change(FanoutStream, id, (now) => settleFanout(now, over), DAEMON);
}

/** Asks for every candidate whose work has changed since it was judged. */
export async function askJudges(
  { store }: FanOutDeps,
  judges: Pick<Judges, "ask">,
  id: string,
  state: KnownFanout,
): Promise<void> {
  if (state.at !== "running") return;
  for (const one of standing(state)) {
    const turnId = judgeable(await store.fold(Session, one.sessionId));
    if (turnId !== null && turnId !== one.judged?.turnId) judges.ask(id, one.sessionId);
  }
}
