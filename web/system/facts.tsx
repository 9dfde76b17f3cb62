import type { ComponentChildren } from "preact";

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="system-facts">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A heading, what it is about, and its contents in a box. */
export function Card({
  name,
  about,
  children,
}: {
  readonly name: string;
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="system-card" aria-label={name}>
      <h2>{name}</h2>
      {about !== undefined && <p class="muted">{about}</p>}
      {children}
    </section>
  );
}
