import type { ComponentChildren } from "preact";
import { Copy } from "./copy.tsx";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** A command that fills this place. */
  readonly command?: string;
}

/** A place without contents says what would be here, and how to get it. */
export function Empty({ title, children, command }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <div class="muted">{children}</div>}
      {command !== undefined && <Copy text={command} />}
    </div>
  );
}
