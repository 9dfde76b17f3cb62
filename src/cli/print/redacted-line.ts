/** Tells a person that the agent did not get what they wrote; null when nothing was replaced. */
export function redactedLine(
  redacted: readonly { readonly kind: string; readonly count: number }[] | undefined,
): string | null {
  if (redacted === undefined || redacted.length === 0) return null;
  const count = redacted.reduce((sum, one) => sum + one.count, 0);
  const kinds = [...new Set(redacted.map(({ kind }) => kind))].join(", ");
  const what = count === 1 ? "A secret" : `${count} secrets`;
  return `${what} in the prompt (${kinds}): the agent gets a mark in place of ${count === 1 ? "it" : "them"}. To hand one over: nomos run --secret NAME`;
}
