/** The shape of `manifest.generated.ts`: what a client needs of the syscall table, as plain data. */
export interface SyscallEntry {
  readonly summary: string;
  readonly kind: "read" | "write" | "stream";
  readonly permission: string;
  readonly errors: readonly string[];
  readonly http: { readonly method: "GET" | "POST" | "PUT" | "DELETE"; readonly path: string; readonly status: number };
  readonly cli: { readonly positional: readonly string[]; readonly short: string | null };
  readonly input: readonly Member[];
}

/** A member of a syscall's input. `json`: any value without its own spelling on a command line. */
export interface Member {
  readonly name: string;
  readonly type: "text" | "number" | "boolean" | "list" | "json";
  readonly required: boolean;
  readonly description: string;
  /** The allowed values; null: any. */
  readonly values: readonly string[] | null;
}

export interface CatalogueEntry {
  readonly status: number;
  readonly exit: number;
  readonly message: string;
  readonly remedy: string;
}
