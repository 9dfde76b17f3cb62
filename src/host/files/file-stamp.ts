/** This moment, as a part of a file's name. */
export function fileStamp(): string {
  return new Date().toISOString().replaceAll(/[-:.]/g, "");
}
