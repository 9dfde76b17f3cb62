import { isLive } from "../../../domains/index.ts";
import { readConfig } from "../../config/config.ts";
import { verifyLaw } from "../../law/verify-law.ts";
import type { HeldLease } from "../../leases/leases.ts";
import { LAW_DIR } from "../../repository/law-path.ts";
import type { Governed } from "../../repository/open-governed.ts";
import { openGoverned } from "../../repository/open-governed.ts";
import type { TicketFiles } from "../../tickets/ticket-files.ts";
import { changedIn, committedIn } from "../init/plan-init.ts";
import { LAW_NAMES } from "../law-names.ts";
import { openSetup, type SetupPlace, type SetupScene } from "../open-setup.ts";
import { readOwn } from "../own-files.ts";

/** One row of `nomos doctor`. */
export interface LawCheck {
  readonly name: "scaffold" | "config" | "law" | "tickets" | "tracking" | "liveness";
  readonly finding: "fine" | "warning" | "problem";
  readonly message: string;
  readonly remedy: string | null;
}

export interface Examining extends SetupPlace {
  readonly tickets: (governed: Governed) => Promise<TicketFiles>;
  readonly leases: (governed: Governed) => Promise<readonly HeldLease[]>;
  readonly nowMs: () => number;
}

/** How a governed repository fares. Null: there is no law, or no repository. */
export async function examineLaw(examining: Examining, cwd: string): Promise<readonly LawCheck[] | null> {
  const { git, scratch } = examining;
  const governed = await openGoverned(git, cwd, scratch);
  if (governed === null) return null;
  const scene = governed.root === null ? null : await openSetup(examining, cwd);
  return [
    await scaffoldOf(governed),
    await configOf(governed),
    await lawOf(examining, cwd),
    await ticketsOf(examining, governed),
    ...(scene === null ? [] : [await trackingOf(scene)]),
    await livenessOf(examining, governed),
  ];
}

const REQUIRED = [LAW_NAMES.constitution, LAW_NAMES.config, LAW_NAMES.lock, LAW_NAMES.seal, LAW_NAMES.ignore] as const;

async function scaffoldOf(governed: Governed): Promise<LawCheck> {
  const there = await Promise.all(REQUIRED.map((name) => governed.has(`${LAW_DIR}/${name}`)));
  const missing = REQUIRED.filter((_, at) => there[at] !== true);
  if (missing.length === 0) return fine("scaffold", `all files are on ${governed.branch}`);
  return problem("scaffold", `${governed.branch} lacks ${missing.join(", ")}`, "nomos init");
}

async function configOf(governed: Governed): Promise<LawCheck> {
  const text = (await governed.read(`${LAW_DIR}/${LAW_NAMES.config}`).catch(() => null)) ?? "";
  const { problems } = readConfig(text);
  const errors = problems.filter(({ level }) => level === "error");
  const [first] = errors.length > 0 ? errors : problems;
  if (first === undefined) return fine("config", "config.yaml is valid");
  const words = `${first.key || "config.yaml"}: ${first.message}`;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  return errors.length > 0
    ? problem("config", `${words}${more}`, "Correct .nomos/config.yaml; `nomos governance config` shows all of it.")
    : warning("config", `${words}${more}`, "nomos governance upgrade");
}

async function lawOf({ git, scratch }: Examining, cwd: string): Promise<LawCheck> {
  const { ok, problems, law, signer } = await verifyLaw(git, cwd, { scratch });
  const [first] = problems;
  if (!ok && first !== undefined) {
    const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
    return problem("law", `${first.message}${more}`, first.remedy);
  }
  const by = signer === null ? "not signed" : `signed by ${signer.split("+", 1)[0]}`;
  return fine("law", `${law?.lock.rules.length ?? 0} rules, ${by}`);
}

async function ticketsOf({ tickets }: Examining, governed: Governed): Promise<LawCheck> {
  const { tickets: known, faults } = await tickets(governed);
  const [first] = faults;
  if (first === undefined)
    return fine("tickets", `${known.size} ${known.size === 1 ? "ticket" : "tickets"}, all valid`);
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : "";
  return problem("tickets", `${first.path}: ${first.message}${more}`, "Correct the file on the law's branch.");
}

const SHOWN_MAX = 3;

async function trackingOf({ seat, checkout }: SetupScene): Promise<LawCheck> {
  const changed = (await changedIn(seat)).map(seat.at);
  if (changed.length > 0) {
    const shown = changed.slice(0, SHOWN_MAX).join(", ");
    const more = changed.length > SHOWN_MAX ? ` and ${changed.length - SHOWN_MAX} more` : "";
    return warning("tracking", `not committed: ${shown}${more}`, `git -C ${seat.checkout.root} status`);
  }
  const ignored = await readOwn(seat.checkout.root, seat.at(LAW_NAMES.ignore));
  if (ignored === null && (await committedIn(seat)).size > 0)
    return warning("tracking", `${LAW_DIR}/.gitignore is missing: caches would be committed`, "nomos init");
  const where = seat.mode === "sidecar" ? `on its own branch, mounted in ${checkout.root}` : "with the work";
  return fine("tracking", `the law is committed ${where}`);
}

async function livenessOf({ leases, nowMs }: Examining, governed: Governed): Promise<LawCheck> {
  const all = await leases(governed);
  const live = all.filter((lease) => isLive(lease, nowMs()));
  const dead = all.filter((lease) => lease.releasedMs === null && !isLive(lease, nowMs()));
  const [first] = dead;
  const held = `${live.length} ${live.length === 1 ? "lease is" : "leases are"} held`;
  if (first === undefined) return fine("liveness", held);
  const more = dead.length > 1 ? ` and ${dead.length - 1} more` : "";
  const words = `${held}; ${first.owner} left ${first.ticketId}${more} without a release`;
  return warning("liveness", words, `nomos ticket lease ${first.ticketId}`);
}

type Make = (name: LawCheck["name"], message: string, remedy: string) => LawCheck;

function fine(name: LawCheck["name"], message: string): LawCheck {
  return { name, finding: "fine", message, remedy: null };
}

const warning: Make = (name, message, remedy) => ({ name, finding: "warning", message, remedy });
const problem: Make = (name, message, remedy) => ({ name, finding: "problem", message, remedy });
