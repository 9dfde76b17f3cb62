/** What a client and the command line have to know of a syscall, as plain data: no schema, no handler. */
export interface SyscallEntry {
  readonly name: string;
  readonly summary: string;
  readonly kind: "read" | "write" | "stream";
  readonly permission: string;
  readonly errors: readonly string[];
  readonly http: Route;
  readonly cli: CliEntry;
  readonly input: readonly Member[];
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
}

/** As `CliSpelling` of the table has it. */
export interface CliEntry extends CliHints {
  readonly positional: readonly string[];
  readonly short: string | null;
}

export interface CliHints {
  readonly paths?: readonly string[];
  readonly here?: { readonly member: string; readonly unless: readonly string[] };
  readonly otherwise?: { readonly member: string; readonly value: string };
  readonly files?: readonly string[];
  readonly print?: "diff" | "context" | "replay" | "blame" | "conflicts" | "fan-out" | "fan-out-diff";
  readonly says?: readonly SaidLine[];
  readonly rows?: string;
  readonly card?: readonly (readonly [label: string, line: string])[];
  readonly succeeds?: { readonly member: string; readonly value: string };
}

export type SaidLine = string | SaidIf | readonly SaidIf[];
export type SaidIf = readonly [member: string, value: string | number | boolean | null, line: string];

/** A member of a syscall's input. `json` is everything that has no spelling of its own on a command line. */
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

/** A syscall as one line of JSON: the names of the members would be most of its bytes. */
type Row = readonly [
  kind: SyscallEntry["kind"],
  permission: string,
  summary: string,
  errors: string,
  positional: string,
  members: readonly MemberRow[],
  hints: CliHints,
];

/** The type ends in `!` where the member is required. */
type MemberRow = readonly [name: string, type: string, description: string, values?: readonly string[]];

export function encodeEntry(entry: SyscallEntry): string {
  const { positional, short: _short, ...hints } = entry.cli;
  const members = entry.input.map(({ name, type, required, description, values }): MemberRow => {
    const spelled = required ? `${type}!` : type;
    return values === null ? [name, spelled, description] : [name, spelled, description, values];
  });
  const { kind, permission, summary, errors } = entry;
  const row: Row = [kind, permission, summary, errors.join(" "), positional.join(" "), members, hints];
  return JSON.stringify(row);
}

/** The name, the route and the short form stand in the index, which is there anyway. */
export function decodeEntry(
  text: string,
  { name, route, short }: { readonly name: string; readonly route: string; readonly short: string | null },
): SyscallEntry {
  const [kind, permission, summary, errors, positional, members, hints]: Row = JSON.parse(text);
  return {
    name,
    summary,
    kind,
    permission,
    errors: words(errors),
    http: decodeRoute(route),
    cli: { positional: words(positional), short, ...hints },
    input: members.map(([member, type, description, values]) => ({
      name: member,
      type: type.replace("!", "") as Member["type"],
      required: type.endsWith("!"),
      description,
      values: values ?? null,
    })),
  };
}

/** `POST /sessions/agent` */
export function decodeRoute(route: string): Route {
  const [method, path = ""] = route.split(" ");
  return { method: method as Route["method"], path };
}

function words(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}
