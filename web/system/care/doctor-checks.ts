import type { OutputOf } from "../../../src/client/index.ts";
import { bytesText } from "../../parts/index.ts";

type Report = OutputOf<"system.doctor">;

export interface Check {
  readonly name: string;
  /** `look`: nothing is broken, but somebody should know. */
  readonly is: "good" | "bad" | "look";
  readonly says: string;
  readonly details: readonly string[];
}

/** The doctor's report as a list of checks; problems first. */
export function checksIn(report: Report): readonly Check[] {
  const rank = { bad: 0, look: 1, good: 2 } as const;
  const checks = [...ofLog(report), ...ofFollowers(report), ...ofHome(report), ...ofRoom(report)];
  return checks.toSorted((one, other) => rank[one.is] - rank[other.is]);
}

function ofLog({ log, models, tree }: Report): readonly Check[] {
  const problems = log.problems.map(({ stream, version, problem }) => `${stream} ${version}: ${problem}`);
  const lists: readonly Check[] =
    models === null
      ? []
      : [
          {
            name: "Lists",
            is: models.ok ? "good" : "bad",
            says: `${models.rows} rows of ${models.streams} streams compared with the log.`,
            details: models.differences.map(({ model, id, what }) => `${model} ${id}: ${what}`),
          },
        ];
  return [
    {
      name: "Log",
      is: log.ok ? "good" : "bad",
      says: `${log.events.toLocaleString("en")} events of ${log.streams} streams, every byte read.`,
      details: problems,
    },
    ...lists,
    {
      name: "Tree",
      is: tree.ok ? "good" : "bad",
      says: `${tree.size.toLocaleString("en")} events, compared with the signed checkpoint.`,
      details: tree.problems.map(({ problem, seq, level, index }) => [problem, seq, level, index].join(" ")),
    },
  ];
}

function ofFollowers({ followers, waiting, anchors, compared }: Report): readonly Check[] {
  const failing = followers.flatMap(({ name, failure }) =>
    failure === null ? [] : [`${name}: ${failure.message} ${failure.remedy}`],
  );
  const stuck = [...waiting.alarms.stuck, ...waiting.notStarted].map(({ message, remedy }) => `${message} ${remedy}`);
  const disagree = anchors.some(({ problem }) => problem?.code === "anchor_disagrees");
  const problems = anchors.flatMap(({ where, problem }) => (problem === null ? [] : [`${where}: ${problem.message}`]));
  return [
    {
      name: "Search and tree follow the log",
      is: failing.length > 0 ? "bad" : "good",
      says: failing.length > 0 ? "A follower fails and is tried again." : "Both are up to date.",
      details: failing,
    },
    {
      name: "Alarms and queues",
      is: stuck.length > 0 ? "bad" : waiting.alarms.overdue > 0 ? "look" : "good",
      says: `${waiting.alarms.set} alarms set, ${waiting.alarms.overdue} late.`,
      details: stuck,
    },
    {
      name: "Anchors",
      is: disagree ? "bad" : problems.length > 0 || anchors.length === 0 ? "look" : "good",
      says:
        anchors.length === 0
          ? "No anchor keeps the checkpoints elsewhere: whoever can write the home can sign."
          : `${anchors.length} keep the checkpoints elsewhere.`,
      details: problems,
    },
    ...(compared?.isContradicted === true
      ? [
          {
            name: "Last restore",
            is: "bad" as const,
            says: "An anchor had seen other events, and somebody restored anyway.",
            details: [],
          },
        ]
      : []),
  ];
}

function ofHome({ snapshots, home, sandbox }: Report): readonly Check[] {
  const { packs, bytes, damaged, broken, missing, gone } = snapshots;
  const lost = [
    ...damaged.map((pack) => `damaged: ${pack}`),
    ...broken.map((one) => `unreadable: ${one}`),
    ...(missing > 0 ? [`${missing} file contents are missing`] : []),
    ...(gone > 0 ? [`${gone} snapshots are missing, as in a restored home`] : []),
  ];
  const left = [
    ...home.left.map(({ path, reason, remedy }) => `${path}: ${reason} ${remedy}`),
    ...home.aside.map((path) => `moved aside: ${path}`),
  ];
  return [
    {
      name: "Snapshots",
      is: snapshots.ok ? (lost.length > 0 ? "look" : "good") : "bad",
      says: `${packs} packs, ${bytesText(bytes)}: what rewinds restore from.`,
      details: lost,
    },
    {
      name: "Home",
      is: home.ok ? (left.length > 0 ? "look" : "good") : "bad",
      says: left.length === 0 ? "Nothing is left over." : "Something is left over.",
      details: left,
    },
    {
      name: "Sandbox",
      is: sandbox.bubblewrap === null ? "look" : "good",
      says: sandbox.bubblewrap === null ? "Without bubblewrap there are no walls." : `bubblewrap ${sandbox.bubblewrap}`,
      details: sandbox.remedy === null ? [] : [sandbox.remedy],
    },
  ];
}

function ofRoom({ disk, wal, usage }: Report): readonly Check[] {
  const used = usage.eventBytes + usage.blobBytes;
  return [
    {
      name: "Disk",
      is: disk.level === "enough" ? "good" : disk.level === "low" ? "look" : "bad",
      says: `${bytesText(disk.freeBytes)} free of ${bytesText(disk.totalBytes)}.`,
      details: [],
    },
    {
      name: "Write-ahead log",
      is: wal.problem === null ? "good" : "look",
      says: `${bytesText(wal.bytes)} of ${bytesText(wal.limit)}.`,
      details: wal.problem === null ? [] : [wal.problem],
    },
    {
      name: "Quota",
      is: used < usage.limit * 0.9 ? "good" : "look",
      says: `${bytesText(used)} of ${bytesText(usage.limit)}.`,
      details: [],
    },
  ];
}
