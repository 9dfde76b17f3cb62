import type { OutputOf } from "../../src/client/index.ts";
import { confirmed, ErrorCard, nomos, toast, useAction, useCall } from "../frame/index.ts";
import { Badge, Button, bytesText, Meter } from "../parts/index.ts";
import { Card, Fact, Facts } from "./facts.tsx";
import { parseMetrics, sampleValue } from "./metrics/parse-metrics.ts";

type Status = OutputOf<"system.status">;

export function Overview() {
  const { value, error, again } = useCall("system.status", {}, { on: /./ });
  const metrics = useCall("system.metrics", {}, { on: /./ });
  const config = useCall("config.explain", { key: "store" });
  if (error !== undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Loading …</p>;
  return (
    <>
      <h1>System</h1>
      <div class="system-cards">
        <DaemonCard status={value} store={String(config.value?.settings[0]?.value ?? "…")} />
        <RoomCard status={value} />
        <MachineCard machine={value.machine} metrics={metrics.value?.metrics ?? ""} />
        <StartCard status={value} />
        <FollowersCard status={value} />
      </div>
      <StopButton />
    </>
  );
}

function DaemonCard({ status, store }: { readonly status: Status; readonly store: string }) {
  return (
    <Card name="Daemon">
      <Facts>
        <Fact name="Version">{status.version}</Fact>
        <Fact name="Up for">{spanText(status.uptimeMs)}</Fact>
        <Fact name="Address">127.0.0.1:{status.port}</Fact>
        <Fact name="Process">{status.pid}</Fact>
        <Fact name="Home">
          <code>{status.home}</code>
        </Fact>
        <Fact name="Store">{store}</Fact>
        <Fact name="Events">{status.events.toLocaleString("en")}</Fact>
      </Facts>
    </Card>
  );
}

function RoomCard({ status: { usage, disk, wal } }: { readonly status: Status }) {
  const used = usage.eventBytes + usage.blobBytes;
  return (
    <Card name="Room">
      <Meter label="Log and blobs, of the home's limit" value={used} max={usage.limit} format={bytesText} />
      <Meter
        label="Disk in use"
        value={disk.totalBytes - disk.freeBytes}
        max={disk.totalBytes}
        format={bytesText}
        warnAt={0.9}
        badAt={0.97}
      />
      <Meter label="Write-ahead log" value={wal.bytes} max={wal.limit} format={bytesText} />
      {disk.level !== "enough" && (
        <p class="system-problem">
          The disk is {disk.level}:{" "}
          {disk.level === "low" ? "new sessions and prompts are refused." : "running turns are ended too."} Free some
          space or lower <code>limits.diskFreeBytes</code>.
        </p>
      )}
      {wal.problem !== null && <p class="system-problem">{wal.problem}</p>}
    </Card>
  );
}

function MachineCard({ machine, metrics }: { readonly machine: Status["machine"]; readonly metrics: string }) {
  const samples = parseMetrics(metrics);
  const cpu = sampleValue(samples, "process_cpu_seconds_total");
  const started = sampleValue(samples, "process_start_time_seconds");
  const spanS = started === null ? null : Math.max(1, Date.now() / 1000 - started);
  return (
    <Card name="Machine">
      {machine.load !== null && (
        <Meter
          label={`Load of ${machine.cores} cores, last minute`}
          value={machine.load}
          max={machine.cores}
          format={(load) => load.toFixed(1)}
          warnAt={1}
          badAt={2}
        />
      )}
      <Meter
        label="Memory in use"
        value={machine.memoryBytes - machine.memoryFreeBytes}
        max={machine.memoryBytes}
        format={bytesText}
      />
      <h3 class="system-gap">The daemon alone</h3>
      <Facts>
        <Fact name="Memory">{bytesText(sampleValue(samples, "process_resident_memory_bytes") ?? 0)}</Fact>
        <Fact name="Processor">
          {cpu === null || spanS === null ? "–" : `${((100 * cpu) / spanS).toFixed(1)}% since the start`}
        </Fact>
        <Fact name="Lag, p99">{msText(sampleValue(samples, "nomos_event_loop_lag_seconds", { stat: "p99" }))}</Fact>
        <Fact name="Open files">{sampleValue(samples, "process_open_fds") ?? "–"}</Fact>
        <Fact name="Streams">{sampleValue(samples, "nomos_connections", { kind: "sse" }) ?? "–"}</Fact>
      </Facts>
    </Card>
  );
}

function StartCard({ status: { recovery, sandbox, limits } }: { readonly status: Status }) {
  return (
    <Card name="Last start">
      <Facts>
        <Fact name="Recovered">
          {recovery.sessions} sessions in {recovery.ms} ms
        </Fact>
        <Fact name="Cut turns">
          {recovery.interrupted === 0 ? "none" : `${recovery.interrupted}, marked as interrupted`}
        </Fact>
        <Fact name="Sandbox">
          {sandbox.bubblewrap === null ? <Badge kind="warn">no bubblewrap</Badge> : `bubblewrap ${sandbox.bubblewrap}`}
        </Fact>
        <Fact name="Limits of a process">
          {limits.held
            ? `${limits.memoryMb === null ? "any memory" : `${limits.memoryMb} MB`}, ${limits.openFilesMax ?? "any number of"} open files`
            : "this system enforces none"}
        </Fact>
      </Facts>
      {sandbox.remedy !== null && <p class="system-problem">{sandbox.remedy}</p>}
    </Card>
  );
}

function FollowersCard({ status: { followers, waiting, tree } }: { readonly status: Status }) {
  const { alarms, notStarted, unfilledLists } = waiting;
  return (
    <Card name="Behind the log">
      <Facts>
        {followers.map(({ name, state, failure }) => (
          <Fact key={name} name={name}>
            <Badge kind={state === "following" ? "good" : "bad"}>{state}</Badge> {failure?.message}
          </Fact>
        ))}
        <Fact name="Tree">{tree.lag === 0 ? "has every event" : `${tree.lag} events behind`}</Fact>
        <Fact name="Alarms">
          {alarms.set} set, {alarms.due} due
          {alarms.overdue > 0 && `, ${alarms.overdue} late`}
        </Fact>
        {notStarted.length > 0 && <Fact name="Not started">{notStarted.map(({ message }) => message).join(" ")}</Fact>}
        {unfilledLists.length > 0 && <Fact name="Being filled">{unfilledLists.join(", ")}</Fact>}
      </Facts>
    </Card>
  );
}

function StopButton() {
  const { run, isRunning } = useAction();
  const stop = async (): Promise<void> => {
    const isSure = await confirmed({
      title: "Stop the daemon?",
      body: "Running turns end and every session hibernates; nothing is lost. This page works again after `nomos up`.",
      yes: "Stop it",
      danger: true,
    });
    if (isSure && (await run(() => nomos().call("system.shutdown", {}))) !== undefined) toast("The daemon stops.");
  };
  return (
    <p class="system-foot">
      <Button kind="danger" icon="stop" disabled={isRunning} onClick={() => void stop()}>
        Stop the daemon
      </Button>
    </p>
  );
}

function msText(seconds: number | null): string {
  return seconds === null ? "–" : `${(seconds * 1000).toFixed(0)} ms`;
}

function spanText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
