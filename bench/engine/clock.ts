/** Milliseconds of the system's monotonic clock: the same in all processes, so that the model's times can be compared with ours. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
