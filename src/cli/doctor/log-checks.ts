import type { OutputOf } from "../../client/index.ts";
import { spellBytes } from "../print/spell.ts";
import { anchorChecks, type EvidenceReport } from "./anchor-checks.ts";
import { type Check, fine, problem, warning } from "./check.ts";

type Answer = OutputOf<"system.doctor">;

/** `log` is null when there is no log yet. */
export interface LogReport extends EvidenceReport {
  readonly log: Answer["log"] | null;
  readonly models: Answer["models"];
  readonly tree: Answer["tree"] | null;
  /** Null without a daemon. */
  readonly snapshots: Answer["snapshots"] | null;
  /** Missing from older daemons and from a check without a daemon. */
  readonly followers?: Answer["followers"] | undefined;
  /** Missing from older daemons. */
  readonly home?: Answer["home"] | undefined;
  readonly sandbox: Answer["sandbox"];
}

const SHOWN_MAX = 20;

/** One check for each part of the log that was examined. */
export function logChecks(report: LogReport, repaired: boolean): readonly Check[] {
  const { log, models, tree, snapshots, sandbox } = report;
  return [
    ...aboutLog(log),
    ...aboutModels(models, repaired),
    ...aboutTree(tree, repaired),
    ...anchorChecks(report),
    ...aboutFollowers(report.followers, repaired),
    ...aboutSnapshots(snapshots),
    ...aboutHome(report.home),
    aboutSandbox(sandbox),
  ];
}

function aboutFollowers(followers: LogReport["followers"], repaired: boolean): readonly Check[] {
  if (followers === undefined) return [];
  const checks = followers.map(({ name, failure }) => {
    if (failure === null) return fine("follow", `${name} follows the log`);
    const { code, message, remedy, tries, since } = failure;
    const anew = repaired ? "" : " If that does not help, `nomos doctor --repair` makes it anew.";
    return problem("follow", `${name} fails since ${since} (${tries} tries): ${message} (${code})`, `${remedy}${anew}`);
  });
  return checks.slice(0, SHOWN_MAX);
}

function aboutSnapshots(snapshots: LogReport["snapshots"]): readonly Check[] {
  if (snapshots === null) return [];
  const { packs, bytes, damaged, broken, missing, gone, ok } = snapshots;
  if (ok && gone > 0)
    return [
      warning("files", `${gone} snapshots are not there`, "Backups hold none: rewinds to them bring back no files."),
    ];
  if (ok) return [fine("files", `snapshots in ${packs} packs, ${spellBytes(bytes)}, nothing is missing`)];
  const what = [
    ...damaged.slice(0, SHOWN_MAX).map((path) => `${path} cannot be read`),
    ...broken.slice(0, SHOWN_MAX).map((id) => `snapshot ${id.slice(0, 12)} is not whole`),
    ...(missing === 0 ? [] : [`${missing} files of snapshots are not there`]),
  ];
  const remedy =
    "Rewinds to what is missing are refused; the rest works, and gc throws nothing away. Put the pack back from a copy of the disk.";
  return what.map((message) => problem("files", message, remedy));
}

function aboutHome(home: LogReport["home"]): readonly Check[] {
  if (home === undefined) return [];
  const left = home.left
    .slice(0, SHOWN_MAX)
    .map(({ path, reason, remedy }) =>
      reason === "waiting"
        ? warning("rubbish", `${path} waits to be removed`, remedy)
        : reason === "work" || reason === "in_use"
          ? warning("forks", `${path} stays (${reason === "work" ? "it holds work" : "somebody is in it"})`, remedy)
          : problem("rubbish", `${path} cannot be removed (${reason})`, remedy),
    );
  const aside = home.aside
    .slice(0, SHOWN_MAX)
    .map((path) =>
      warning("aside", `${path} was in the way of a start`, "Look into it, then delete it or put it back."),
    );
  return [...left, ...aside];
}

function aboutLog(log: LogReport["log"]): readonly Check[] {
  if (log === null) return [fine("log", "there is no log yet")];
  if (log.ok) return [fine("log", `${log.events} events in ${log.streams} streams, every byte as it was written`)];
  const remedy =
    "Stop, keep a copy of the home as it is, and restore from a backup; what stands before this place is good.";
  return log.problems.slice(0, SHOWN_MAX).map(({ stream, version, seq, problem: what }) => {
    const place =
      stream === "" ? "the file itself" : `${stream} version ${version}${seq === null ? "" : ` (seq ${seq})`}`;
    return problem("log", `${place}: ${what}`, remedy);
  });
}

function aboutModels(models: LogReport["models"], repaired: boolean): readonly Check[] {
  if (models === null) return [];
  if (models.ok) return [fine("models", `${models.rows} rows of ${models.streams} streams, equal to the log`)];
  return models.differences.slice(0, SHOWN_MAX).map(({ model, id, what }) => {
    const message = `${model} ${id}: ${what}`;
    return repaired
      ? warning("models", `${message}; written anew`, "Nothing is left to do.")
      : problem("models", message, "`nomos doctor --repair` writes it anew from the log.");
  });
}

/** Only tiles can be rebuilt. When the log is not the one that was signed, no repair helps. */
const MENDED: readonly string[] = ["tile_missing", "tile_altered"];

function aboutTree(tree: LogReport["tree"], repaired: boolean): readonly Check[] {
  if (tree === null) return [];
  if (tree.ok) return [fine("tree", `over ${tree.size} events, equal to the log and to what was signed`)];
  return tree.problems.slice(0, SHOWN_MAX).map(({ problem: what, seq, level, index }) => {
    const place = level === undefined ? (seq == null ? "the tree" : `seq ${seq}`) : `tile ${level}/${index}`;
    const message = `${place}: ${what}`;
    if (!MENDED.includes(what))
      return problem("tree", message, "Keep a copy of the home as it is, and compare with an export or a backup.");
    return repaired
      ? warning("tree", `${message}; made anew`, "Nothing is left to do.")
      : problem("tree", message, "`nomos doctor --repair` makes it anew from the log.");
  });
}

function aboutSandbox({ bubblewrap, remedy }: LogReport["sandbox"]): Check {
  if (bubblewrap !== null) return fine("sandbox", `bubblewrap at ${bubblewrap}`);
  return warning(
    "sandbox",
    "bubblewrap is missing: agents run without walls, and their processes are found by their marks alone",
    remedy ?? "run: apt-get install bubblewrap",
  );
}
