import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { type TreeNode, type TreeRow, treeRows } from "./tree-rows.ts";
import "./plots.css";

export interface TreeProps<N extends TreeNode> {
  /** What the tree is of: "forks". */
  readonly label: string;
  readonly nodes: readonly N[];
  /** The node that is looked at. */
  readonly current?: string;
  readonly children: (node: N) => ComponentChildren;
}

const [ROW_PX, STEP_PX] = [32, 20];
/** Deeper nodes stay at this column, so that names do not leave a phone's screen. */
const COLUMNS_MAX = 8;
const ROWS_MAX = 500;

/** A tree of rows: lines and dots are drawn, the rows are a real list. */
export function Tree<N extends TreeNode>({ label, nodes, current, children }: TreeProps<N>): VNode {
  const all = useMemo(() => treeRows(nodes), [nodes]);
  const rows = all.slice(0, ROWS_MAX);
  const width = (COLUMNS_MAX + 1) * STEP_PX;
  return (
    <div class="plot tree">
      <svg class="tree-lines" width={width} height={rows.length * ROW_PX} aria-hidden="true">
        {rows.map(({ parentRow }, at) => parentRow !== null && <path key={at} class="tree-edge" d={edge(rows, at)} />)}
        {rows.map(({ node }, at) => (
          <circle
            key={node.id}
            class={node.id === current ? "tree-dot tree-current" : "tree-dot"}
            cx={columnPx(rows[at])}
            cy={at * ROW_PX + ROW_PX / 2}
            r={node.id === current ? 6 : 4}
          />
        ))}
      </svg>
      <ul class="tree-rows" aria-label={label}>
        {rows.map((row) => (
          <li
            key={row.node.id}
            class="tree-row"
            style={{ "--tree-left": `${columnPx(row) + STEP_PX / 2}px` }}
            {...(row.node.id === current ? { "aria-current": "true" as const } : {})}
          >
            {row.depth > 0 && <span class="plot-spoken">level {row.depth + 1}: </span>}
            {children(row.node)}
          </li>
        ))}
      </ul>
      {all.length > rows.length && <p class="tree-more">{all.length - rows.length} more are not shown.</p>}
    </div>
  );
}

function columnPx(row: TreeRow<TreeNode> | undefined): number {
  return Math.min(row?.depth ?? 0, COLUMNS_MAX - 1) * STEP_PX + STEP_PX / 2;
}

/** From the parent's dot down, then across to the row's own. */
function edge(rows: readonly TreeRow<TreeNode>[], at: number): string {
  const row = rows[at];
  const parent = row?.parentRow ?? 0;
  const [fromX, toX] = [columnPx(rows[parent]), columnPx(row)];
  const [fromY, toY] = [parent * ROW_PX + ROW_PX / 2, at * ROW_PX + ROW_PX / 2];
  if (fromX === toX) return `M${fromX} ${fromY}V${toY}`;
  return `M${fromX} ${fromY}V${toY - 6}Q${fromX} ${toY} ${fromX + 6} ${toY}H${toX}`;
}
