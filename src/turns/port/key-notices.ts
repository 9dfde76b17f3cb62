import { type DriverFact, fact } from "../../kernel/index.ts";
import type { Redactor } from "../../redaction/index.ts";

/**
 * An artifact stays as it is but for values of the vault, so a person is told of what looks like a key in it, and of a
 * packing that hides what is in it.
 */
export function keyNotices(
  redactor: Pick<Redactor, "look">,
  { path, turnId }: { readonly path: string; readonly turnId: string },
  bytes: Uint8Array,
): readonly DriverFact[] {
  const { findings, unread } = redactor.look(bytes);
  const kinds = [...new Set(findings.map(({ kind }) => kind))].filter((kind) => kind !== "vault");
  const titles = [
    ...(kinds.length === 0
      ? []
      : [`The artifact ${path} holds what looks like a key (${kinds.join(", ")}); it was not replaced`]),
    ...(unread === null ? [] : [`The artifact ${path} is ${unread}: it was not searched for secrets`]),
  ];
  return titles.map((title) => fact("driver.noticed@1", { turnId, severity: "warning", title, body: null }));
}
