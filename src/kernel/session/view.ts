import { LIMITS } from "../limits.ts";
import { ownEntry } from "../own-entry.ts";

/**
 * The part of a session that a rewind restores and a fork inherits. What never goes back (spend, effects, approvals,
 * idempotency keys, the queue) is not in it.
 */
export interface View {
  readonly path: readonly PathSegment[];
  readonly artifacts: { readonly [path: string]: ArtifactHistory };
  readonly todo: readonly TodoItem[];
  /** Where the prompt's parts are in the log, by event: the system prompt, the last compaction, and what it kept. */
  readonly context?: { readonly composed?: string; readonly compacted?: string; readonly keptFrom?: string };
  /** The files as of the last snapshot. Absent until there was one. */
  readonly world?: KeptFiles;
}

/** The snapshot, or why there is none. */
export interface KeptFiles {
  readonly snapshot: string | null;
  readonly skipped: string | null;
}

/** A range of a stream on the current path; `to` is null for the one still growing. */
export type PathSegment =
  | { readonly kind: "own"; readonly stream: string; readonly from: number; readonly to: number | null }
  /** The whole path when this stream was at this version. */
  | { readonly kind: "inherited"; readonly stream: string; readonly version: number };

export interface Artifact {
  readonly version: number;
  readonly blob: string;
  readonly bytes: number;
  readonly mediaType: string;
}

export interface ArtifactHistory {
  readonly artifactId: string;
  /** Rising; the last one is current. Old versions may leave the view, never the log. */
  readonly versions: readonly Artifact[];
}

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "active" | "done";
}

export function emptyView(stream: string): View {
  return { path: [{ kind: "own", stream, from: 1, to: null }], artifacts: {}, todo: [] };
}

/** A fork's first view: its parent's at the fork point, with a path that continues in its own stream. */
export function inheritView(view: View, at: { readonly stream: string; readonly version: number }, own: string): View {
  return {
    ...view,
    path: [
      { kind: "inherited", stream: at.stream, version: at.version },
      { kind: "own", stream: own, from: 1, to: null },
    ],
  };
}

/** The view a rewind restores: as of its target, continuing after the rewind event. */
export function rewindView(
  view: View,
  at: { readonly stream: string; readonly version: number },
  next: { readonly stream: string; readonly version: number },
): View {
  const closed = at.stream === next.stream ? closeAt(view.path, at) : inheritedOnly(at);
  const path = closed.length < LIMITS.pathSegmentsMax ? closed : inheritedOnly(at);
  return { ...view, path: [...path, { kind: "own", stream: next.stream, from: next.version, to: null }] };
}

function closeAt(path: readonly PathSegment[], at: { readonly version: number }): readonly PathSegment[] {
  return path.map((segment) =>
    segment.kind === "own" && segment.to === null ? { ...segment, to: at.version } : segment,
  );
}

function inheritedOnly(at: { readonly stream: string; readonly version: number }): readonly PathSegment[] {
  return [{ kind: "inherited", stream: at.stream, version: at.version }];
}

export function withArtifact(view: View, path: string, artifactId: string, artifact: Artifact): View {
  const before = ownEntry(view.artifacts, path);
  const versions = [...(before?.versions ?? []), artifact];
  return { ...view, artifacts: { ...view.artifacts, [path]: { artifactId, versions } } };
}

/** Keeps the view bounded: beyond the limit the longest history loses its oldest version. */
export function trimArtifacts(view: View): View {
  let total = 0;
  let longest: string | null = null;
  for (const [path, history] of Object.entries(view.artifacts)) {
    total += history.versions.length;
    if (longest === null || history.versions.length > (view.artifacts[longest]?.versions.length ?? 0)) longest = path;
  }
  if (total <= LIMITS.artifactVersionsMax || longest === null) return view;
  const history = view.artifacts[longest];
  if (history === undefined) return view;
  const trimmed = { ...history, versions: history.versions.slice(1) };
  return { ...view, artifacts: { ...view.artifacts, [longest]: trimmed } };
}
