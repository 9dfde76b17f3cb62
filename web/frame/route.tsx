import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Page, PageProps } from "./page.ts";

const PLACE: Signal<{ readonly path: string; readonly query: string }> = signal({ path: "", query: "" });

/** Keeps the place in step with the browser's history. */
export function startRouting(): void {
  const read = (): void => {
    PLACE.value = { path: location.pathname, query: location.search };
  };
  addEventListener("popstate", read);
  read();
}

export function usePlace(): { readonly path: string; readonly query: string } {
  return PLACE.value;
}

export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  PLACE.value = { path: location.pathname, query: location.search };
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly title?: string;
  readonly "aria-label"?: string;
  readonly "aria-current"?: "page";
  readonly children: ComponentChildren;
}

export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}

/** The page at a place, with what its path names; null when there is none. */
export function pageAt(
  pages: readonly Page[],
  place: { readonly path: string; readonly query: string },
): { readonly page: Page; readonly props: PageProps } | null {
  for (const page of pages) {
    const params = matched(page.path, place.path);
    if (params !== null) return { page, props: { params, query: new URLSearchParams(place.query) } };
  }
  return null;
}

function matched(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split("/");
  const parts = path.replace(/(?<=.)\/$/, "").split("/");
  if (wanted.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const name = wanted[at] ?? "";
    if (name.startsWith(":")) params[name.slice(1)] = decoded(part);
    else if (name !== part) return null;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
