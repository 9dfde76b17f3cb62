import type { ComponentType } from "preact";
import type { IconName } from "../parts/index.ts";

export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** One page: a folder in web/ and one line in web/pages.ts. */
export interface Page {
  /** `/ui/session/:id` */
  readonly path: string;
  readonly name: string;
  /** Pages of the menu: `g` and then the key goes there. */
  readonly menu?: { readonly key: string; readonly icon: IconName };
  readonly load: () => Promise<{ readonly View: ComponentType<PageProps> }>;
}
