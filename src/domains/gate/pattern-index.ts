/**
 * Rules by resource pattern, as a tree of path segments: a lookup walks the resource once, however many rules there
 * are. `*` matches one segment (or a part of it), `**` any number of segments.
 */
export interface PatternIndex<T> {
  readonly match: (resource: string) => readonly T[];
}

interface Node<T> {
  /** A node after `**`: it stays reached whatever segment follows. */
  readonly any: boolean;
  readonly literals: Map<string, Node<T>>;
  readonly globs: { readonly pattern: string; readonly node: Node<T> }[];
  deep: Node<T> | null;
  readonly values: T[];
}

export function indexPatterns<T>(entries: readonly { readonly pattern: string; readonly value: T }[]): PatternIndex<T> {
  const values = entries.map(({ value }) => value);
  if (entries.every(({ pattern }) => pattern === "**")) return { match: () => values };
  const root = newNode<T>(false);
  for (const { pattern, value } of entries) insert(root, pattern.split("/"), value);
  return {
    match: (resource) => {
      let reached = reach([root]);
      for (const segment of resource.split("/")) reached = reach(step(reached, segment));
      return [...new Set([...reached].flatMap(({ values }) => values))];
    },
  };
}

/** One spelling for all that some file system takes for the same name. */
export const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** One segment against one segment pattern. Linear: on a mismatch it goes back to the last star only. */
export function matchSegment(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (from < pattern.length && pattern[from] === "*") {
      star = from;
      resume = at;
      from += 1;
    } else if (from < pattern.length && pattern[from] === text[at]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      from = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  while (pattern[from] === "*") from += 1;
  return from === pattern.length;
}

function newNode<T>(any: boolean): Node<T> {
  return { any, literals: new Map(), globs: [], deep: null, values: [] };
}

function insert<T>(root: Node<T>, segments: readonly string[], value: T): void {
  let node = root;
  for (const segment of segments) node = child(node, segment);
  node.values.push(value);
}

function child<T>(node: Node<T>, segment: string): Node<T> {
  if (segment === "**") {
    node.deep ??= newNode(true);
    return node.deep;
  }
  if (segment.includes("*")) {
    const known = node.globs.find(({ pattern }) => pattern === segment);
    if (known !== undefined) return known.node;
    const fresh = newNode<T>(false);
    node.globs.push({ pattern: segment, node: fresh });
    return fresh;
  }
  const known = node.literals.get(segment) ?? newNode<T>(false);
  node.literals.set(segment, known);
  return known;
}

/** The nodes reached by the segment. Each is held once, so many `**` cost no more than one. */
function step<T>(reached: ReadonlySet<Node<T>>, segment: string): readonly Node<T>[] {
  return [...reached].flatMap((node) => {
    const literal = node.literals.get(segment);
    const globs = node.globs.filter(({ pattern }) => matchSegment(pattern, segment)).map((glob) => glob.node);
    return [...(node.any ? [node] : []), ...(literal === undefined ? [] : [literal]), ...globs];
  });
}

/** Includes the nodes after a `**` that matches no segment. */
function reach<T>(nodes: readonly Node<T>[]): ReadonlySet<Node<T>> {
  const reached = new Set(nodes);
  for (const { deep } of reached) if (deep !== null) reached.add(deep);
  return reached;
}
