import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface RowsProps {
  readonly count: number;
  /** Every row has this height, in pixels. */
  readonly rowHeight: number;
  readonly label: string;
  /** The row under the cursor is kept in sight. */
  readonly cursor?: number;
  /** What a row shows stays with it when it moves. */
  readonly keyOf: (index: number) => string | number;
  readonly render: (index: number) => ComponentChildren;
}

const BEYOND = 8;

/** A list of any length: only the rows in sight are there. It scrolls with the window. */
export function Rows({ count, rowHeight, label, cursor, keyOf, render }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [[first, last], setShown] = useState<readonly [number, number]>([0, 60]);
  useEffect(() => {
    const measure = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / rowHeight) - BEYOND);
      const to = Math.ceil((innerHeight - top) / rowHeight) + BEYOND;
      setShown((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [rowHeight]);
  useLayoutEffect(() => {
    if (cursor === undefined || list.current === null) return;
    const top = list.current.getBoundingClientRect().top + cursor * rowHeight;
    if (top < 80) scrollBy({ top: top - 120 });
    else if (top + rowHeight > innerHeight - 80) scrollBy({ top: top + rowHeight - innerHeight + 120 });
  }, [cursor, rowHeight]);
  const shown = Array.from({ length: Math.max(0, Math.min(last, count) - first) }, (_none, at) => first + at);
  return (
    <ul ref={list} class="rows" aria-label={label} style={{ height: `${count * rowHeight}px` }}>
      {shown.map((index) => (
        <li
          key={keyOf(index)}
          class="rows-row"
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
        >
          {render(index)}
        </li>
      ))}
    </ul>
  );
}
