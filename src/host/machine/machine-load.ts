import { availableParallelism, freemem, loadavg, totalmem } from "node:os";

export interface MachineLoad {
  readonly cores: number;
  /** Processes that run or wait, on average over a minute; null where the system does not count them. */
  readonly load: number | null;
  readonly memoryBytes: number;
  readonly memoryFreeBytes: number;
}

export function machineLoad(): MachineLoad {
  const [load = 0] = loadavg();
  const isCounted = process.platform !== "win32";
  return {
    cores: availableParallelism(),
    load: isCounted ? Math.round(load * 100) / 100 : null,
    memoryBytes: totalmem(),
    memoryFreeBytes: freemem(),
  };
}
