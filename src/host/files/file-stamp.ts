/** The current time in a form for file names. */
export function fileStamp(): string {
  return new Date().toISOString().replaceAll(/[-:.]/g, "");
}
