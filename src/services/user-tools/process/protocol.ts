import type { Json, RedoClass } from "../../../kernel/index.ts";
import type { ServedResult } from "../../../turns/index.ts";

/** The one line that a tool's process is sent. */
export interface ToolOrder {
  /** Begins each line that the process answers with; everything else that it prints is the file's own. */
  readonly mark: string;
  readonly url: string;
  /** The bytes that a person agreed to: the file on disk may be another one by now. */
  readonly source: string;
  readonly isTypeScript: boolean;
  /** It may import Node's own modules and nothing else: a yes was given for these bytes alone. */
  readonly isAlone: boolean;
  /** Null: describe the tool. */
  readonly call: { readonly input: Json; readonly cwd: string } | null;
}

export type ToolReply =
  | { readonly kind: "described"; readonly tool: DescribedTool }
  | { readonly kind: "result"; readonly result: ServedResult }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "log"; readonly text: string };

export interface DescribedTool {
  readonly name: string | null;
  readonly description: string;
  readonly input: { readonly [key: string]: Json };
  readonly redo: RedoClass;
}
