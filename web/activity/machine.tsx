import { useEffect, useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { useCall } from "../frame/index.ts";
import { bytesText, Meter, Spark } from "../parts/index.ts";

type Status = OutputOf<"system.status">;

const SAMPLE_MS = 5_000;
/** Ten minutes. */
const SAMPLES_MAX = 120;

/** Load, memory and disk of the daemon's machine; the lines grow while the page is open. */
export function Machine() {
  const { value, again } = useCall("system.status", {});
  const [samples, setSamples] = useState<readonly Status[]>([]);
  useEffect(() => {
    const timer = setInterval(again, SAMPLE_MS);
    return () => clearInterval(timer);
  }, [again]);
  useEffect(() => {
    if (value !== undefined) setSamples((before) => [...before, value].slice(-SAMPLES_MAX));
  }, [value]);
  return (
    <section class="card activity-wide" aria-labelledby="activity-machine">
      <h2 id="activity-machine">The machine</h2>
      <p class="muted">Sampled every five seconds while this page is open.</p>
      {value !== undefined && <Gauges status={value} samples={samples} />}
    </section>
  );
}

function Gauges({ status, samples }: { readonly status: Status; readonly samples: readonly Status[] }) {
  const { machine, disk, usage } = status;
  const usedOf = (one: Status): number => one.machine.memoryBytes - one.machine.memoryFreeBytes;
  return (
    <div class="activity-gauges">
      <div>
        <p class="activity-gauge">
          Load <strong>{machine.load?.toFixed(2) ?? "–"}</strong> on {machine.cores} cores
        </p>
        <Spark
          label="Load"
          values={samples.map((one) => one.machine.load ?? Number.NaN)}
          format={(load) => load.toFixed(2)}
        />
      </div>
      <div>
        <Meter label="Memory in use" value={usedOf(status)} max={machine.memoryBytes} format={bytesText} />
        <Spark label="Memory in use" values={samples.map(usedOf)} format={bytesText} />
      </div>
      <div>
        <Meter
          label="Disk in use"
          value={disk.totalBytes - disk.freeBytes}
          max={disk.totalBytes}
          format={bytesText}
          warnAt={0.9}
          badAt={0.97}
        />
        <Spark label="Disk free" values={samples.map((one) => one.disk.freeBytes)} format={bytesText} />
      </div>
      <Meter
        label="Log and blobs, of the home's limit"
        value={usage.eventBytes + usage.blobBytes}
        max={usage.limit}
        format={bytesText}
      />
    </div>
  );
}
