import type { OutputOf } from "../../client/index.ts";
import { type Check, fine, problem, warning } from "./check.ts";

type Answer = OutputOf<"system.doctor">;

/** Both are missing from older daemons; without a daemon no anchor is asked. */
export interface EvidenceReport {
  readonly anchors?: Answer["anchors"] | undefined;
  readonly compared?: Answer["compared"] | undefined;
}

/** Checks of the log against its anchors. */
export function anchorChecks({ anchors = [], compared = null }: EvidenceReport): readonly Check[] {
  return [...anchors.map(aboutAnchor), ...(compared === null ? [] : [aboutRestore(compared)])];
}

function aboutAnchor({ kind, where, size, problem: wrong }: Answer["anchors"][number]): Check {
  const place = `${kind} ${where}`;
  if (wrong === null)
    return fine("anchor", size === null ? `${place}: nothing to anchor yet` : `${place}: ${size} events`);
  if (wrong.code !== "anchor_disagrees")
    return warning(
      "anchor",
      `${place}: ${wrong.message}`,
      "It is tried again by itself; see to the place if it stays so.",
    );
  const remedy =
    "Compare its checkpoint with `nomos audit checkpoint`. If you restored an older backup on purpose, keep this anchor as evidence and name a new one.";
  return problem("anchor", `${place}: ${wrong.message}`, remedy);
}

function aboutRestore({ at, size, newerSize, isContradicted, unreachable }: NonNullable<Answer["compared"]>): Check {
  const remedy = "`nomos audit entries --types log.compared` shows what each anchor answered.";
  const restored = `restored at ${at} with ${size} events`;
  if (isContradicted) return warning("restore", `${restored}, although an anchor remembered other events`, remedy);
  if (newerSize !== null)
    return warning(
      "restore",
      `${restored}, although an anchor remembered ${newerSize}: ${newerSize - size} are missing`,
      remedy,
    );
  if (unreachable > 0)
    return warning("restore", `${restored}; anchors that could not be asked: ${unreachable}`, remedy);
  return fine("restore", `${restored}; no anchor remembered more`);
}
