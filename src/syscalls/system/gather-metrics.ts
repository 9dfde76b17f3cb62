import { readdir } from "node:fs/promises";
import type { AlarmsState } from "../../commit/index.ts";
import { SESSION_STATES } from "../../kernel/index.ts";
import type { Histogram } from "../../services/index.ts";
import { treeStatus } from "../audit/tree-status.ts";
import type { Services } from "../services.ts";
import { boundsStatus } from "./bounds-status.ts";
import type { Family, Sample } from "./exposition.ts";

/** Collects all metrics. Each costs at most a point read, except the census. */
export async function gatherMetrics(
  services: Pick<
    Services,
    | "audit"
    | "bounds"
    | "census"
    | "daemon"
    | "engine"
    | "eventLoop"
    | "followers"
    | "instruments"
    | "store"
    | "waiting"
  >,
): Promise<readonly Family[]> {
  const { store, daemon } = services;
  const following = services.followers.states();
  const [events, census, files, bounds, alarms] = await Promise.all([
    store.lastSeq(),
    services.census(),
    store.files(),
    boundsStatus(services),
    services.waiting.alarms(),
  ]);
  const tree = treeStatus(services, events);
  const counts = services.instruments.counts();
  return [
    gauge("nomos_build_info", "The version that runs.", [{ labels: { version: daemon.version }, value: 1 }]),
    gauge(
      "nomos_sessions",
      "Sessions by state, counted every few seconds.",
      SESSION_STATES.map((state) => ({ labels: { state }, value: census.sessions[state] ?? 0 })),
    ),
    gauge("nomos_turns_queued", "Turns that were admitted and have not started.", one(census.queuedTurns)),
    gauge("nomos_approvals_pending", "Questions that wait for a person.", one(census.pendingApprovals)),
    counter("nomos_turns_ended_total", "Turns that ended, by outcome.", labelled("outcome", counts.turns)),
    gauge("nomos_log_events", "Events in the log.", one(events)),
    counter("nomos_events_appended_total", "Events appended by this daemon.", one(counts.events)),
    histogram("nomos_append_duration_seconds", "From the asking for an append until it is flushed.", counts.appends),
    gauge("nomos_tree_events", "Events that the tree over the log covers.", one(tree.size)),
    gauge("nomos_tree_lag_events", "Events that the tree is behind the log.", one(tree.lag)),
    ...checkpointAge(tree.checkpointAt),
    gauge(
      "nomos_follower_lag_events",
      "How many events a follower is behind the log.",
      following.map(({ name, lag }) => ({ labels: { follower: name }, value: lag })),
    ),
    gauge(
      "nomos_follower_failing",
      "1 when a follower failed and is tried again.",
      following.map(({ name, state }) => ({ labels: { follower: name }, value: state === "failing" ? 1 : 0 })),
    ),
    ...alarmFamilies(alarms),
    ...storageFamilies(files, bounds),
    ...engineFamilies(services.engine),
    counter("nomos_tokens_total", "Tokens that sessions used, by kind.", labelled("kind", counts.tokens)),
    counter(
      "nomos_cost_usd_total",
      "What they cost, as far as prices are known.",
      one(counts.costMicroUsd / 1_000_000),
    ),
    gauge("nomos_connections", "What is open, by kind.", labelled("kind", counts.connections)),
    counter("nomos_errors_total", "Calls that were refused or failed, by code.", labelled("code", counts.errors)),
    ...(await processFamilies(services)),
  ];
}

const BREAKER_HELP = "1 for the state that a provider's circuit breaker is in.";
const BREAKER_STATES = ["closed", "open", "half_open"] as const;

function engineFamilies(engine: Services["engine"]): readonly Family[] {
  const { sessions, turns, crashes } = engine.state();
  const breakers = engine
    .breakers()
    .flatMap(({ provider, state }) =>
      BREAKER_STATES.map((at) => ({ labels: { provider, state: at }, value: at === state ? 1 : 0 })),
    );
  return [
    gauge("nomos_engine_sessions", "Sessions that the engine holds in memory.", one(sessions)),
    gauge("nomos_engine_turns", "Turns that the engine runs.", one(turns)),
    counter("nomos_engine_crashes_total", "Processes of the engine that crashed or hung.", one(crashes)),
    ...(breakers.length === 0 ? [] : [gauge("nomos_model_breaker_state", BREAKER_HELP, breakers)]),
  ];
}

function alarmFamilies(alarms: AlarmsState): readonly Family[] {
  return [
    gauge("nomos_alarms_set", "Alarms that are set, due or not.", one(alarms.set)),
    gauge("nomos_alarms_due", "Alarms whose time has come; a thousand at most.", one(alarms.due)),
    gauge("nomos_alarms_overdue", "Alarms that are late by more than a minute.", one(alarms.overdue)),
    gauge("nomos_alarm_late_seconds", "How late the oldest alarm is.", one(alarms.lateMs / 1000)),
    gauge("nomos_alarms_stuck", "Alarms that were tried and do not ring.", one(alarms.stuck.length)),
  ];
}

function storageFamilies(
  files: Awaited<ReturnType<Services["store"]["files"]>>,
  { usage, disk, wal }: Awaited<ReturnType<typeof boundsStatus>>,
): readonly Family[] {
  return [
    gauge("nomos_database_bytes", "The database, without its write-ahead log.", one(files.databaseBytes)),
    gauge("nomos_wal_bytes", "The write-ahead log.", one(wal.bytes)),
    gauge("nomos_wal_limit_bytes", "Past this size somebody keeps the log from being folded in.", one(wal.limit)),
    gauge("nomos_wal_pinned", "1 when the write-ahead log is past its limit.", one(wal.problem === null ? 0 : 1)),
    gauge("nomos_search_bytes", "The search index.", one(files.searchBytes)),
    gauge("nomos_used_bytes", "What the log takes up, as quotas count it.", [
      { labels: { kind: "events" }, value: usage.eventBytes },
      { labels: { kind: "blobs" }, value: usage.blobBytes },
    ]),
    gauge("nomos_quota_bytes", "What may be taken up.", [
      { labels: { scope: "home" }, value: usage.limit },
      { labels: { scope: "session" }, value: usage.sessionLimit },
    ]),
    gauge("nomos_disk_free_bytes", "Free on the disk of the home.", one(disk.freeBytes)),
    gauge("nomos_disk_total_bytes", "The size of that disk.", one(disk.totalBytes)),
    gauge("nomos_disk_limit_bytes", "With less than this free nothing new is begun.", one(disk.limit)),
    gauge("nomos_disk_low", "1 when nothing new is begun for want of room.", one(disk.level === "enough" ? 0 : 1)),
  ];
}

function checkpointAge(at: string | null): readonly Family[] {
  if (at === null) return [];
  const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  return [gauge("nomos_checkpoint_age_seconds", "Since the newest checkpoint was signed.", one(seconds))];
}

async function processFamilies({
  daemon,
  eventLoop,
}: Pick<Services, "daemon" | "eventLoop">): Promise<readonly Family[]> {
  const { user, system } = process.cpuUsage();
  const lag = eventLoop();
  const fds = await readdir("/proc/self/fd").then(
    (found) => found.length,
    () => null,
  );
  return [
    gauge("process_start_time_seconds", "When the daemon started.", one(daemon.startedAtMs / 1000)),
    counter("process_cpu_seconds_total", "Processor time used.", one((user + system) / 1_000_000)),
    gauge("process_resident_memory_bytes", "Memory in use.", one(process.memoryUsage.rss())),
    ...(fds === null ? [] : [gauge("process_open_fds", "Open file descriptors.", one(fds))]),
    gauge("nomos_event_loop_lag_seconds", "How late the main thread was in the last seconds.", [
      { labels: { stat: "mean" }, value: lag.meanSeconds },
      { labels: { stat: "p99" }, value: lag.p99Seconds },
      { labels: { stat: "max" }, value: lag.maxSeconds },
    ]),
  ];
}

function one(value: number): readonly Sample[] {
  return [{ value }];
}

function labelled(label: string, counts: ReadonlyMap<string, number>): readonly Sample[] {
  return [...counts].map(([key, value]) => ({ labels: { [label]: key }, value }));
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: "gauge", samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: "counter", samples };
}

function histogram(name: string, help: string, { buckets, sum, count }: Histogram): Family {
  const all = [...buckets, { le: Number.POSITIVE_INFINITY, count }];
  const samples = all.map((bucket) => ({
    suffix: "_bucket",
    labels: { le: bucket.le === Number.POSITIVE_INFINITY ? "+Inf" : String(bucket.le) },
    value: bucket.count,
  }));
  return {
    name,
    help,
    type: "histogram",
    samples: [...samples, { suffix: "_sum", value: sum }, { suffix: "_count", value: count }],
  };
}
