export interface TreeNode {
  readonly id: string;
  /** Null, or of a node that is not there: it is a root. */
  readonly parent: string | null;
}

export interface TreeRow<N extends TreeNode> {
  readonly node: N;
  readonly depth: number;
  /** The row of its parent; null for a root. */
  readonly parentRow: number | null;
}

/** The nodes as rows: each below its parent, children in the order given. A cycle is entered at its first node. */
export function treeRows<N extends TreeNode>(nodes: readonly N[]): readonly TreeRow<N>[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const children = Map.groupBy(nodes, ({ parent, id }) =>
    parent !== null && parent !== id && ids.has(parent) ? parent : "",
  );
  const rows: TreeRow<N>[] = [];
  const seen = new Set<string>();
  const walk = (start: N): void => {
    const open: { readonly node: N; readonly depth: number; readonly parentRow: number | null }[] = [
      { node: start, depth: 0, parentRow: null },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { node, depth, parentRow } = next;
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      const row = rows.push({ node, depth, parentRow }) - 1;
      for (const child of [...(children.get(node.id) ?? [])].reverse())
        open.push({ node: child, depth: depth + 1, parentRow: row });
    }
  };
  for (const node of children.get("") ?? []) walk(node);
  for (const node of nodes) if (!seen.has(node.id)) walk(node);
  return rows;
}
