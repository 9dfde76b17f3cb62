import { compileScope } from "../scope/scope.ts";
import type { Ticket } from "../tickets/ticket.ts";
import { boundaryHits, parseBoundary } from "./boundary.ts";
import { type Drift, driftOf } from "./drift.ts";

/** What of a ticket limits the work on it. */
export type WorkLimits = Pick<Ticket, "scope" | "fileBudget" | "boundary">;

export interface MeasuredFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly inScope: boolean;
  /** The boundary forbids it. */
  readonly isForbidden: boolean;
}

export interface MeasuredChanges {
  readonly drift: Drift;
  readonly filesChanged: number;
  readonly linesChanged: number;
  /** Forbidden ones and those out of scope first. */
  readonly files: readonly MeasuredFile[];
}

/** Measures what was changed against the limits of a ticket. */
export function measureChanges(
  changed: readonly Pick<MeasuredFile, "path" | "added" | "removed">[],
  { scope, fileBudget, boundary }: WorkLimits,
): MeasuredChanges {
  const isAllowed = compileScope(scope);
  const paths = changed.map(({ path }) => path);
  const forbidden = new Set(boundaryHits(paths, parseBoundary(boundary)));
  const files = changed.map(({ path, added, removed }) => ({
    ...{ path, added, removed, inScope: isAllowed(path), isForbidden: forbidden.has(path) },
  }));
  const linesChanged = changed.reduce((sum, { added, removed }) => sum + added + removed, 0);
  const drift = driftOf({
    files: files.length,
    inScope: files.filter(({ inScope }) => inScope).length,
    filesMax: fileBudget.files,
    boundaryHits: forbidden.size,
    ...{ linesChanged, linesMax: fileBudget.lines },
  });
  const rank = ({ inScope, isForbidden }: MeasuredFile) => (isForbidden ? 0 : inScope ? 2 : 1);
  return { drift, filesChanged: files.length, linesChanged, files: files.toSorted((a, b) => rank(a) - rank(b)) };
}
