/** A sign-in of a browser or phone: the frame of the dashboard leaves by this capability. */
export function isDevice({
  label,
  capabilities,
}: {
  readonly label: string;
  readonly capabilities: readonly string[];
}): boolean {
  return /^(?:browser|phone)\b/.test(label) || capabilities.includes("dashboard.leave");
}
