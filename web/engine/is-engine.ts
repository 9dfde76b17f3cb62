/** Whether a driver is the own engine: it takes models of the list, steering, and tells its context. */
export function isEngine(driver: string | undefined): boolean {
  return driver === "nomos";
}
