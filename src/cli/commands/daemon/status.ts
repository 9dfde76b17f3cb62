import type { OutputOf } from "../../../client/index.ts";
import { parseArguments, usageError } from "../../arguments.ts";
import { connectIfUp } from "../../daemon/connect.ts";
import { spellAddress } from "../../daemon/find-daemon.ts";
import { spellDisk, spellUsage } from "../../doctor/bounds-checks.ts";
import { EVERYDAY } from "../../everyday.ts";
import { NO_LANDINGS, needingPerson, type OpenLandings, openLandings } from "../../landing/open-landings.ts";
import { counted, spellBytes, spellDuration } from "../../print/spell.ts";
import { pairLines } from "../../print/table.ts";
import { EXIT, type RunCommand } from "../../terminal.ts";
import { worksInNeed } from "../../work/works-in-need.ts";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { positionals } = parseArguments(args, {});
  if (positionals[0] !== undefined) throw usageError(`Unexpected argument "${positionals[0]}".`, EVERYDAY.status.usage);
  const client = await connectIfUp(terminal);
  const status = await client.call("system.status", {});
  if (json) {
    terminal.printJson(status);
    return EXIT.ok;
  }
  const { version, pid, port, home, uptimeMs, events, recovery, sandbox, usage, disk, wal } = status;
  // Older daemons do not report these.
  const failing = (status.followers ?? []).flatMap(({ name, failure }) =>
    failure === null ? [] : [[name, `failing since ${failure.since}: ${failure.message}`] as const],
  );
  terminal.print(`nomos ${version} is up`);
  const landings = await openLandings(client).catch(() => NO_LANDINGS);
  const works = await worksInNeed(client).catch(() => []);
  const lines = pairLines(terminal, [
    ["address", spellAddress(port)],
    ["pid", String(pid)],
    ["home", home],
    ["up for", spellDuration(uptimeMs)],
    ["events", String(events)],
    ["used", spellUsage(usage)],
    ["disk", spellDisk(disk)],
    ...(wal.problem === null ? [] : [["wal", `${spellBytes(wal.bytes)}: ${wal.problem}`] as const]),
    ...failing,
    ...modelLines(status),
    ...vaultLines(status),
    ...landingPairs(landings),
    ...works.map(({ ticket, why, next }) => [ticket, `${why} (${next})`] as const),
    ["recovered", spellRecovery(recovery)],
    ["sandbox", sandbox.bubblewrap ?? `none: ${sandbox.remedy ?? ""}`],
  ]);
  for (const line of lines) terminal.print(line);
  return EXIT.ok;
};

/** Older daemons have no engine. */
function modelLines({ models, engine }: Partial<Pick<OutputOf<"system.status">, "models" | "engine">>) {
  const crashes = engine?.crashes ?? 0;
  return [
    ...(models === undefined ? [] : [["model", models.default ?? "none: nomos model add"] as const]),
    ...(models?.breakers ?? []).flatMap((one) =>
      one.state === "closed" ? [] : [["provider", spellBreaker(one)] as const],
    ),
    ...(crashes === 0 ? [] : [["engine", `ended by a fault ${counted(crashes, "time")} since the start`] as const]),
  ];
}

/** Nothing while there is nothing to say: no secrets, or an older daemon. */
function vaultLines({ vault }: Partial<Pick<OutputOf<"system.status">, "vault">>) {
  if (vault === undefined || (vault.state === "open" && vault.secrets === 0)) return [];
  const open = `${counted(vault.secrets, "secret")}, key kept by: ${vault.holder ?? ""}`;
  return [["vault", vault.state === "open" ? open : `locked. ${vault.says ?? ""} ${vault.remedy ?? ""}`] as const];
}

/** Nothing while nothing lands. */
function landingPairs(landings: OpenLandings) {
  const { open } = landings;
  const checked = open.filter(({ state }) => state === "checking").length;
  const refused = needingPerson(landings).map(
    ({ sessionName }) => `${sessionName} (nomos landing show ${sessionName})`,
  );
  return [
    ...(open.length === 0 ? [] : [["landing", `${checked} being checked, ${open.length - checked} queued`] as const]),
    ...(refused.length === 0 ? [] : [["refused", refused.join(", ")] as const]),
  ];
}

function spellBreaker({ provider, state, failures, retryAt }: OutputOf<"system.status">["models"]["breakers"][number]) {
  const failed = `${provider} failed ${counted(failures, "time")} in a row`;
  if (state === "half_open") return `${failed} and is being tried again`;
  return retryAt === null ? `${failed}; calls wait` : `${failed}; calls wait until ${retryAt.slice(11, 16)} UTC`;
}

/** After a start: what had been at work when the last daemon ended. */
function spellRecovery(found: {
  readonly sessions: number;
  readonly interrupted: number;
  readonly ms: number;
}): string {
  if (found.sessions === 0) return `nothing was at work (${found.ms} ms)`;
  const turns =
    found.interrupted === 0 ? "no turn was interrupted" : `${counted(found.interrupted, "turn")} interrupted`;
  return `${counted(found.sessions, "session")}, ${turns} (${found.ms} ms)`;
}
