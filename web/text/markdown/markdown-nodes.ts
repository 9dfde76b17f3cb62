/** A parsed Markdown text as plain data: what the parsing thread answers. Holds no HTML. */
export type Inline =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "code"; readonly text: string }
  | { readonly is: "break" }
  | { readonly is: "strong" | "em" | "del"; readonly of: readonly Inline[] }
  | { readonly is: "link"; readonly href: string; readonly of: readonly Inline[] }
  | { readonly is: "image"; readonly href: string; readonly alt: string };

export type Block =
  | { readonly is: "paragraph"; readonly of: readonly Inline[] }
  | { readonly is: "heading"; readonly depth: number; readonly of: readonly Inline[] }
  | { readonly is: "code"; readonly text: string; readonly language: string | null }
  | { readonly is: "quote"; readonly blocks: readonly Block[] }
  | { readonly is: "list"; readonly start: number | null; readonly items: readonly ListItem[] }
  | { readonly is: "table"; readonly align: readonly Align[]; readonly head: Cells; readonly rows: readonly Cells[] }
  | { readonly is: "rule" }
  | { readonly is: "raw"; readonly text: string };

export interface ListItem {
  /** Null: it is no box to check. */
  readonly checked: boolean | null;
  readonly blocks: readonly Block[];
}

export type Align = "left" | "center" | "right" | null;
export type Cells = readonly (readonly Inline[])[];

/** A longer text is shown as it is. */
export const MARKDOWN_CHARS_MAX = 262_144;
