interface Named {
  readonly id: string;
  readonly title: string;
}

export interface Pair {
  readonly a: Named;
  readonly b: Named;
}

export interface MapNode extends Named {
  readonly x: number;
  readonly y: number;
  /** With how many others it meets. */
  readonly degree: number;
}

export interface OverlapMap {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly { readonly from: MapNode; readonly to: MapNode }[];
  /** Tickets that have no place on the map. */
  readonly more: number;
}

/** More nodes make a knot that nobody can read; the list has all pairs. */
const NODES_MAX = 24;

/** Tickets on a circle, those that meet the most others first, and a line for each pair. */
export function overlapMap(pairs: readonly Pair[], { radius, centre }: { radius: number; centre: number }): OverlapMap {
  const degrees = new Map<string, { readonly named: Named; degree: number }>();
  for (const { a, b } of pairs)
    for (const named of [a, b]) {
      const known = degrees.get(named.id) ?? { named, degree: 0 };
      known.degree += 1;
      degrees.set(named.id, known);
    }
  const ranked = [...degrees.values()].toSorted(
    (one, other) => other.degree - one.degree || (one.named.id < other.named.id ? -1 : 1),
  );
  const shown = ranked.slice(0, NODES_MAX);
  const nodes = shown.map(({ named, degree }, at) => {
    const angle = (2 * Math.PI * at) / shown.length - Math.PI / 2;
    const [x, y] = [centre + radius * Math.cos(angle), centre + radius * Math.sin(angle)];
    return { id: named.id, title: named.title, degree, x, y };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = pairs.flatMap(({ a, b }) => {
    const [from, to] = [byId.get(a.id), byId.get(b.id)];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  return { nodes, edges, more: ranked.length - shown.length };
}
