import { useEffect, useState } from "preact/hooks";
import { ErrorCard, nomos } from "../../frame/index.ts";
import { Bars, bytesText, Spark } from "../../parts/index.ts";
import { parseMetrics, type Sample, sampleValue } from "./parse-metrics.ts";

const EVERY_MS = 3_000;
/** Ten minutes. */
const SAMPLES_MAX = 200;

interface Taken {
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

interface Plot {
  readonly name: string;
  /** Of two neighbours, the earlier first: a gauge looks at the later alone. */
  readonly value: (now: Taken, before: Taken) => number | null;
  readonly format: (value: number) => string;
}

const PLOTS: readonly Plot[] = [
  { name: "Events per second", value: rate("nomos_events_appended_total"), format: perSecond },
  { name: "Busy sessions", value: gauge("nomos_sessions", { state: "busy" }), format: whole },
  { name: "Questions that wait", value: gauge("nomos_approvals_pending"), format: whole },
  { name: "Queued turns", value: gauge("nomos_turns_queued"), format: whole },
  {
    name: "Processor of the daemon",
    value: rate("process_cpu_seconds_total", 100),
    format: (value) => `${value.toFixed(0)}%`,
  },
  { name: "Memory of the daemon", value: gauge("process_resident_memory_bytes"), format: bytesText },
  {
    name: "Lag of the main thread, p99",
    value: gauge("nomos_event_loop_lag_seconds", { stat: "p99" }, 1000),
    format: inMs,
  },
  { name: "One append, mean", value: mean("nomos_append_duration_seconds"), format: inMs },
  { name: "Tree behind the log", value: gauge("nomos_tree_lag_events"), format: whole },
  { name: "Write-ahead log", value: gauge("nomos_wal_bytes"), format: bytesText },
  { name: "Streams", value: gauge("nomos_connections", { kind: "sse" }), format: whole },
  { name: "Open files", value: gauge("process_open_fds"), format: whole },
];

/** Samples are taken while this is open, and forgotten with it. */
export function Metrics() {
  const { taken, error } = useSamples();
  const last = taken.at(-1);
  return (
    <>
      <h1>Metrics</h1>
      <p class="muted">
        Taken every three seconds while this is open. For longer times let Prometheus read <code>/api/metrics</code>.
      </p>
      {error !== undefined && <ErrorCard error={error} />}
      <div class="system-plots">
        {PLOTS.map((plot) => (
          <PlotCard key={plot.name} plot={plot} taken={taken} />
        ))}
      </div>
      {last !== undefined && (
        <div class="system-cards">
          <Bars label="Sessions by state" bars={byLabel(last.samples, "nomos_sessions", "state")} />
          <Bars label="Turns ended, by outcome" bars={byLabel(last.samples, "nomos_turns_ended_total", "outcome")} />
          <Bars label="Appends by duration, up to seconds" bars={histogram(last.samples)} />
        </div>
      )}
    </>
  );
}

function useSamples(): { readonly taken: readonly Taken[]; readonly error: unknown } {
  const [taken, setTaken] = useState<readonly Taken[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const leave = new AbortController();
    const take = async (): Promise<void> => {
      try {
        const { metrics } = await nomos().call("system.metrics", {}, { signal: leave.signal });
        const one = { atMs: performance.now(), samples: parseMetrics(metrics) };
        if (leave.signal.aborted) return;
        setError(undefined);
        setTaken((before) => [...before, one].slice(-SAMPLES_MAX));
      } catch (thrown) {
        if (!leave.signal.aborted) setError(thrown);
      }
    };
    void take();
    const timer = setInterval(() => document.visibilityState === "visible" && void take(), EVERY_MS);
    return () => {
      leave.abort();
      clearInterval(timer);
    };
  }, []);
  return { taken, error };
}

function PlotCard({ plot, taken }: { readonly plot: Plot; readonly taken: readonly Taken[] }) {
  const values = taken.flatMap((now, at) => {
    const value = plot.value(now, taken[at - 1] ?? now);
    return value === null || !Number.isFinite(value) ? [] : [value];
  });
  const last = values.at(-1);
  return (
    <section class="system-card system-plot" aria-label={plot.name}>
      <h2>{plot.name}</h2>
      <strong>{last === undefined ? "–" : plot.format(last)}</strong>
      <Spark label={plot.name} values={values} format={plot.format} />
    </section>
  );
}

function gauge(name: string, labels: Readonly<Record<string, string>> = {}, times = 1): Plot["value"] {
  return ({ samples }) => {
    const value = sampleValue(samples, name, labels);
    return value === null ? null : value * times;
  };
}

function rate(name: string, times = 1): Plot["value"] {
  return (now, before) => {
    const [later, earlier] = [sampleValue(now.samples, name), sampleValue(before.samples, name)];
    const seconds = (now.atMs - before.atMs) / 1000;
    if (later === null || earlier === null || seconds <= 0) return null;
    // A daemon that started anew counts from zero.
    return (Math.max(0, later - earlier) / seconds) * times;
  };
}

function mean(name: string): Plot["value"] {
  return (now, before) => {
    const of = ({ samples }: Taken, part: string): number => sampleValue(samples, `${name}_${part}`) ?? 0;
    const count = of(now, "count") - of(before, "count");
    return count <= 0 ? null : ((of(now, "sum") - of(before, "sum")) / count) * 1000;
  };
}

function byLabel(samples: readonly Sample[], name: string, label: string) {
  return samples
    .filter((sample) => sample.name === name)
    .map(({ labels, value }) => ({ name: labels[label] ?? "", value }));
}

/** Buckets are sums from the left; a bar is what one adds. */
function histogram(samples: readonly Sample[]) {
  const buckets = samples.filter(({ name }) => name === "nomos_append_duration_seconds_bucket");
  return buckets.map(({ labels, value }, at) => ({
    name: labels["le"] ?? "",
    value: value - (buckets[at - 1]?.value ?? 0),
  }));
}

function whole(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 0 });
}

function perSecond(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function inMs(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
