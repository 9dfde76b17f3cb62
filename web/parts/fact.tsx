import type { ComponentChildren } from "preact";

/** One line of a list of facts (`<dl>`). */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
