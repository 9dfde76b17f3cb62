import { NomosError } from "../contract/index.ts";
import { type Actor, decideGate, FANOUTS, LANDINGS } from "../domains/index.ts";
import { APPROVALS, type ApprovalRow, isUuid, SESSIONS, Session, type SessionRow } from "../kernel/index.ts";
import type { Services } from "./services.ts";

/** What a member of a call may name in short: by a name, the beginning of a name or id, or a session's title. */
export type NamedThing = "session" | "worktree" | "approval" | "agent" | "landing" | "fan-out";

type Needed = Pick<Services, "agents" | "policy" | "store">;
type Named = Pick<SessionRow, "id" | "name" | "title">;

const SHOWN_MAX = 10;
const TITLES_READ_MAX = 5000;
const PAGE = 500;

/**
 * The full id. An exact name or title wins over a beginning, which has to be the only one. A beginning or a title finds only
 * sessions that the actor may read, so that nobody learns of others by guessing.
 */
export async function sessionNamed(services: Needed, actor: Actor, given: string): Promise<string> {
  const found = await findSession(services, actor, given);
  if (found === null) throw new NomosError("session_not_found", { id: given });
  return found;
}

async function findSession(services: Needed, actor: Actor, given: string): Promise<string | null> {
  const { store } = services;
  if (isUuid(given)) return given;
  const named = await store.rows(SESSIONS, { limit: SHOWN_MAX, where: { shown: true, name: given } });
  if (named.length > 0) return onlyOne(given, named);
  const sees = (row: Named) => mayDo(services, actor, "session.read", `session/${row.id}`);
  const titled = (await titledSo(services, given)).filter(sees);
  return onlyOne(given, titled.length > 0 ? titled : (await begunSo(services, given)).filter(sees));
}

/** Where no gate judges the session itself. */
async function readableSession(services: Needed, actor: Actor, given: string): Promise<string | null> {
  const found = await findSession(services, actor, given);
  return found !== null && mayDo(services, actor, "session.read", `session/${found}`) ? found : null;
}

/** The same among the sessions that a session's own token reaches; null when it is none of them. */
export function namedAmong(rows: readonly Named[], given: string): string | null {
  const exact = rows.filter(({ name }) => name === given);
  const titled = rows.filter(({ title }) => isTitle(title, given));
  const begun = rows.filter(({ id, name }) => id.startsWith(given) || name.startsWith(given));
  return onlyOne(given, [exact, titled, begun].find(({ length }) => length > 0) ?? []);
}

async function begunSo({ store }: Needed, given: string): Promise<readonly SessionRow[]> {
  const byName = { by: "name", descending: false, after: { id: "", key: given } } as const;
  const named = await store.rows(SESSIONS, { limit: SHOWN_MAX, where: { shown: true }, ...byName });
  const begun = await store.rows(SESSIONS, { limit: SHOWN_MAX, where: { shown: true }, idPrefix: given });
  const rows = [...named.filter(({ name }) => name.startsWith(given)), ...begun];
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** Titles have no index: the newest sessions are looked through. */
async function titledSo({ store }: Needed, given: string): Promise<readonly SessionRow[]> {
  const found: SessionRow[] = [];
  let after: { readonly id: string } | undefined;
  for (let read = 0; read < TITLES_READ_MAX && found.length < SHOWN_MAX; read += PAGE) {
    const place = after === undefined ? {} : { after };
    const rows = await store.rows(SESSIONS, { limit: PAGE, where: { shown: true }, ...place });
    found.push(...rows.filter(({ title }) => isTitle(title, given)));
    after = rows.length < PAGE ? undefined : rows.at(-1);
    if (after === undefined) break;
  }
  return found;
}

function isTitle(title: string | undefined, given: string): boolean {
  return title !== undefined && title.toLowerCase() === given.trim().toLowerCase();
}

function onlyOne(given: string, found: readonly Named[]): string | null {
  if (found.length <= 1) return found[0]?.id ?? null;
  throw ambiguous(
    given,
    found.map(({ name }) => name),
    found.map(({ id, name, title }) => ({ id, name, ...(title === undefined ? {} : { title }) })),
  );
}

function ambiguous(given: string, names: readonly string[], candidates: readonly object[]): NomosError {
  const shown = names.slice(0, SHOWN_MAX).join(", ");
  const details = { given, candidates: candidates.slice(0, SHOWN_MAX).map((one) => ({ ...one })) };
  return new NomosError("ambiguous_id", details, { message: `\`${given}\` can mean ${shown}.` });
}

/** A question by its id, the beginning of it, or its session if that has just one open. */
async function approvalNamed(services: Needed, actor: Actor, given: string): Promise<string> {
  const { store } = services;
  if ((await store.row(APPROVALS, given)) !== null) return given;
  const isWhole = LONG_ID.test(given);
  const rows = isWhole ? [] : await store.rows(APPROVALS, { limit: PAGE, idPrefix: given });
  const begun = rows.filter(({ id }) => mayDo(services, actor, "approval.read", `approval/${id}`));
  const found = onlyQuestion(given, begun.filter(isPending)) ?? onlyQuestion(given, begun);
  if (found !== null) return found;
  const sessionId = await readableSession(services, actor, given);
  const session = sessionId === null ? null : await store.row(SESSIONS, sessionId);
  if (session === null && isWhole) return given;
  if (session === null)
    throw new NomosError(
      "approval_not_found",
      { given },
      { message: `There is no question and no session \`${given}\`.` },
    );
  const where = { session: session.id, status: "pending" };
  const open = onlyQuestion(given, await store.rows(APPROVALS, { limit: SHOWN_MAX, where }));
  if (open !== null) return open;
  throw new NomosError("approval_not_found", { given }, { message: `${session.name} has no open question.` });
}

const LONG_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isPending = ({ status }: ApprovalRow): boolean => status === "pending";

function onlyQuestion(given: string, found: readonly ApprovalRow[]): string | null {
  if (found.length <= 1) return found[0]?.id ?? null;
  const candidates = found.map(({ id, question, sessionId }) => ({ id, question, sessionId }));
  throw ambiguous(given, [`${found.length} questions: ${found.map(({ id }) => id).join(", ")}`], candidates);
}

/** The id of a worktree, also by a name of the session that works in it. As given when there is no such session. */
async function worktreeNamed(services: Needed, actor: Actor, given: string): Promise<string> {
  if (isUuid(given)) return given;
  const sessionId = await readableSession(services, actor, given);
  if (sessionId === null) return given;
  return (await services.store.fold(Session, sessionId)).worktree ?? sessionId;
}

/** A landing by its id or the beginning of it; by its session: the open one, else the newest. */
async function landingNamed(services: Needed, actor: Actor, given: string): Promise<string> {
  const { store } = services;
  if ((await store.row(LANDINGS, given)) !== null) return given;
  const rows = isUuid(given) ? [] : await store.rows(LANDINGS, { limit: SHOWN_MAX, idPrefix: given });
  const begun = rows.filter(({ id }) => mayDo(services, actor, "landing.read", `landing/${id}`));
  if (begun.length > 1) {
    const candidates = begun.map(({ id, order }) => ({ id, sessionId: order.sessionId, into: order.into }));
    throw ambiguous(given, [`${begun.length} landings: ${begun.map(({ id }) => id).join(", ")}`], candidates);
  }
  const [only] = begun;
  if (only !== undefined) return only.id;
  const session = await readableSession(services, actor, given);
  if (session === null) throw notLanding(given, `There is no landing and no session \`${given}\`.`);
  const [open] = await store.rows(LANDINGS, { limit: 1, where: { session, open: true } });
  const [newest] = open === undefined ? await store.rows(LANDINGS, { limit: 1, where: { session } }) : [open];
  if (newest === undefined) throw notLanding(given, `The session \`${given}\` has no landing.`);
  return newest.id;
}

function notLanding(given: string, message: string): NomosError {
  return new NomosError("landing_not_found", { given }, { message });
}

/** A fan-out by its id or name, or the beginning of either. */
async function fanoutNamed({ store }: Needed, _actor: Actor, given: string): Promise<string> {
  if ((await store.row(FANOUTS, given)) !== null) return given;
  const named = await store.rows(FANOUTS, { limit: SHOWN_MAX, where: { name: given } });
  const byName = { by: "name", descending: false, after: { id: "", key: given } } as const;
  const after = await store.rows(FANOUTS, { limit: SHOWN_MAX, ...byName });
  const begun = [
    ...after.filter(({ name }) => name.startsWith(given)),
    ...(await store.rows(FANOUTS, { limit: SHOWN_MAX, idPrefix: given })),
  ];
  const found = named.length > 0 ? named : begun;
  if (found.length > 1)
    throw ambiguous(
      given,
      found.map(({ name }) => name),
      found.map(({ id, name }) => ({ id, name })),
    );
  const [only] = found;
  if (only === undefined)
    throw new NomosError("fanout_not_found", { given }, { message: `There is no fan-out \`${given}\`.` });
  return only.id;
}

/** The agent, or the only one whose name begins so. As given when there is none. */
async function agentNamed(services: Needed, actor: Actor, given: string): Promise<string> {
  if (given === "" || (await services.agents.find(given)) !== null) return given;
  const slugs = (await services.agents.list()).map(({ slug }) => slug);
  const begun = slugs.filter((slug) => slug.startsWith(given) && mayDo(services, actor, "agent.read", `agent/${slug}`));
  if (begun.length <= 1) return begun[0] ?? given;
  throw ambiguous(
    given,
    begun,
    begun.map((slug) => ({ slug })),
  );
}

const FIND: { readonly [T in NamedThing]: (services: Needed, actor: Actor, given: string) => Promise<string> } = {
  session: sessionNamed,
  worktree: worktreeNamed,
  approval: approvalNamed,
  agent: agentNamed,
  landing: landingNamed,
  "fan-out": fanoutNamed,
};

/** Replaces short names in a call's members. A session's own token names everything in full. */
export async function resolveNames(
  services: Needed,
  actor: Actor,
  names: { readonly [member: string]: NamedThing } | undefined,
  input: Record<string, unknown>,
): Promise<void> {
  if (actor.sessionId !== null) return;
  for (const [member, thing] of Object.entries(names ?? {})) {
    const given = input[member];
    if (typeof given === "string") input[member] = await FIND[thing](services, actor, given);
  }
}

function mayDo({ policy }: Needed, actor: Actor, verb: string, resource: string): boolean {
  return decideGate(actor, { verb, resource, tool: null }, policy.current()).verdict === "allow";
}
