import { LandingStream, PERSON, type RecordedTurn } from "../../domains/index.ts";
import type { BlamedLine, BlameRepository } from "../../host/index.ts";
import { idIn, Session, streamOf } from "../../kernel/index.ts";
import type { KnownLanding, LandingFacts } from "./landing-facts.ts";
import { lineHash } from "./line-hash.ts";
import { type Claim, claimsIn } from "./trailers.ts";

/** Who wrote a line. `local`: it is not committed. */
export type Explained =
  | { readonly by: "local" }
  | { readonly by: "person"; readonly landingId?: string }
  | (Told & { readonly by: "session"; readonly proven: true; readonly reason?: string })
  /** The commit says so, or the text looks like it; the log does not confirm it. */
  | (Told & { readonly by: "session"; readonly proven: false; readonly reason: string });

export interface ExplainedLine extends BlamedLine {
  /** For people; `text` has the bytes. */
  readonly shown: string;
  readonly explained: Explained;
}

interface Told {
  readonly sessionId: string;
  readonly turnId: string | null;
  /** The event that ended the turn. */
  readonly eventId: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly approver: string | null;
  readonly landing: {
    readonly id: string;
    readonly eventId: string;
    readonly by: string | null;
    readonly blob: string | null;
  } | null;
}

interface Known {
  readonly facts: LandingFacts;
  readonly opened: BlameRepository;
  /** The common git dir of the repository. */
  readonly gitDir: string;
}

/** The writer of each line: by the commit that was landed, or by what a rewritten commit says and the log confirms. */
export async function explainLines(known: Known, lines: readonly BlamedLine[]): Promise<readonly Explained[]> {
  const commits = [...new Set(lines.flatMap(({ commit }) => commit ?? []))];
  const landings = new Map<string, KnownLanding>();
  for (const commit of commits) {
    const landing = await known.facts.ofCommit(commit);
    if (landing !== null) landings.set(commit, landing);
  }
  const rewritten = commits.filter((one) => !landings.has(one));
  const messages = await known.opened.messages(rewritten);
  const claims = new Map([...messages].map(([commit, message]) => [commit, claimsIn(message)]));
  const judge = createJudge(known);
  // A brace is in every landing: it counts where the same commit has a line that only this landing can have brought.
  for (const { commit, text } of lines)
    if (isDistinctive(text)) await judge.vouch(commit ?? "", claims.get(commit ?? "") ?? [], lineHash(text));
  const orphans = await orphanedLandings(known, rewritten.length > claims.size);
  const actors = new Map<string, string | null>();
  const told = async (landing: KnownLanding, turn: RecordedTurn | null): Promise<Told> => {
    const { row, eventId, blob } = landing;
    const by = actors.get(row.id) ?? (await known.facts.actorOf(row.eventId));
    actors.set(row.id, by);
    return { ...turnOf(landing, turn), landing: { id: row.id, eventId, by, blob } };
  };
  const explain = async (line: BlamedLine): Promise<Explained> => {
    const { commit, origin, text } = line;
    if (commit === null || origin === null) return { by: "local" };
    const landing = landings.get(commit);
    const hash = lineHash(text);
    if (landing !== undefined) {
      const writer = landing.finder?.at({ commit, ...origin, hash }) ?? null;
      if (writer === PERSON) return { by: "person", landingId: landing.row.id };
      const turn = writer === null ? null : (landing.finder?.turn(writer) ?? null);
      const reason =
        turn === null ? { reason: "the turn of this line was not recorded; this is the landing's last" } : {};
      return { by: "session", proven: true, ...(await told(landing, turn)), ...reason };
    }
    const claimed = claims.get(commit) ?? [];
    if (claimed.length > 0) return judge.explain(commit, claimed, hash, told);
    if (!isDistinctive(text)) return { by: "person" };
    const found = orphans.find((one) => (one.finder?.byText(hash) ?? PERSON) !== PERSON);
    if (found === undefined) return { by: "person" };
    const turn = found.finder?.turn(found.finder.byText(hash) ?? PERSON) ?? null;
    const reason =
      "known by its text: its commit names no session, and the commit that was landed is not in this history";
    return { by: "session", proven: false, reason, ...(await told(found, turn)) };
  };
  const explained: Explained[] = [];
  for (const line of lines) explained.push(await explain(line));
  return explained;
}

const DISTINCTIVE_CHARS = 12;

/** Text that two people hardly write alike. */
function isDistinctive(text: string): boolean {
  return text.replace(/[^A-Za-z0-9\x80-\xff]/g, "").length >= DISTINCTIVE_CHARS;
}

const ORPHANS_READ = 20;

/** Landings onto this repository whose commits are no longer in its history: somebody rewrote it. */
async function orphanedLandings({ facts, opened, gitDir }: Known, isNeeded: boolean): Promise<readonly KnownLanding[]> {
  if (!isNeeded) return [];
  const rows = await facts.ofRepository(gitDir);
  const gone = await opened.notInHead(rows.map(({ landed }) => landed.commit));
  const orphans = rows.filter(({ landed }) => gone.has(landed.commit)).slice(0, ORPHANS_READ);
  return (await Promise.all(orphans.map(({ id }) => facts.landed(id)))).flatMap((one) => one ?? []);
}

function turnOf({ row }: KnownLanding, turn: RecordedTurn | null): Omit<Told, "landing"> {
  const { sessionId, turnId } = row.order;
  if (turn === null) return { sessionId, turnId, eventId: null, agent: null, model: null, approver: null };
  return turn;
}

type Tell = (landing: KnownLanding, turn: RecordedTurn | null) => Promise<Told>;

/** Believes what a commit says only where the log says the same, and the landing brought this very line. */
function createJudge({ facts, opened, gitDir }: Known) {
  const candidates = new Map<
    string,
    Promise<{ readonly landings: readonly KnownLanding[]; readonly reason: string }>
  >();
  const isHere = async ({ row }: KnownLanding): Promise<boolean> =>
    row.order.repository.gitDir === gitDir || (await opened.has(row.landed.base));
  const find = async ({ sessionId, eventId }: Claim) => {
    const none = (reason: string) => ({ landings: [], reason });
    const event = eventId === null ? null : await facts.event(eventId);
    if (event === null) return none("the log has no event as the commit names it");
    const landingId = idIn(LandingStream, event.stream);
    if (landingId === null && event.stream !== streamOf(Session, sessionId))
      return none("the event that the commit names is not of that session");
    const landing = landingId === null ? null : await facts.landed(landingId);
    if (landingId !== null && landing === null) return none("the landing that the commit names reached no branch");
    if (landing !== null && landing.row.order.sessionId !== sessionId)
      return none("the event that the commit names is not of that session");
    const all = landing === null ? await facts.ofSession(sessionId) : [landing];
    const here: KnownLanding[] = [];
    for (const one of all) if (await isHere(one)) here.push(one);
    return here.length === 0
      ? none("the session landed nothing in this repository")
      : { landings: here, reason: "no landing of the session brought this line" };
  };
  const candidatesOf = (claim: Claim) => {
    const key = `${claim.sessionId} ${claim.eventId}`;
    const known = candidates.get(key) ?? find(claim);
    candidates.set(key, known);
    return known;
  };
  const vouched = new Set<string>();
  return {
    vouch: async (commit: string, claims: readonly Claim[], hash: string): Promise<void> => {
      for (const claim of claims)
        for (const { row, finder } of (await candidatesOf(claim)).landings)
          if (finder?.byText(hash) != null) vouched.add(`${commit} ${row.id}`);
    },
    explain: async (commit: string, claims: readonly Claim[], hash: string, tell: Tell): Promise<Explained> => {
      let reason = "";
      for (const claim of claims) {
        const { landings, reason: why } = await candidatesOf(claim);
        for (const landing of landings) {
          const writer = vouched.has(`${commit} ${landing.row.id}`) ? (landing.finder?.byText(hash) ?? null) : null;
          if (writer === PERSON) return { by: "person", landingId: landing.row.id };
          if (writer === null) continue;
          return { by: "session", proven: true, ...(await tell(landing, landing.finder?.turn(writer) ?? null)) };
        }
        reason ||= why;
      }
      const { sessionId = "", turnId = null } = claims[0] ?? {};
      const nobody = { eventId: null, agent: null, model: null, approver: null, landing: null };
      return { by: "session", proven: false, reason, sessionId, turnId, ...nobody };
    },
  };
}
