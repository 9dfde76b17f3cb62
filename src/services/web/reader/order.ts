/** What the reader's process is asked for, as one JSON text on its standard input. */
export interface ReadOrder {
  readonly html: string;
  /** Relative links are resolved against it. */
  readonly url: string;
  readonly format: "markdown" | "text";
}

/** A page made readable, as one JSON text on its standard output. */
export interface ReadPage {
  readonly title: string | null;
  readonly byline: string | null;
  /** As the page says it. */
  readonly published: string | null;
  readonly content: string;
}
