import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

interface FoldedProps {
  readonly class: string;
  readonly isOpen?: boolean;
  readonly summary: ComponentChildren;
  /** Made only when it is open: a long talk has thousands of folded things. */
  readonly children: () => ComponentChildren;
}

export function Folded({ class: name, isOpen = false, summary, children }: FoldedProps) {
  const [open, setOpen] = useState(isOpen);
  useEffect(() => setOpen(isOpen), [isOpen]);
  return (
    <details class={name} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
