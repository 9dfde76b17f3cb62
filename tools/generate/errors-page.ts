import { ERROR_CATALOGUE } from "../../src/contract/index.ts";
import { code, page, table } from "./markdown.ts";

export function errorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE).sort(([one], [other]) => (one < other ? -1 : 1));
  const cells = rows.map(([name, { status, exit, message, remedy }]) => [
    code(name),
    String(status),
    String(exit),
    message,
    remedy,
  ]);
  return page(
    "Errors",
    `Every refusal has one of these ${cells.length} codes, on every surface, as \`{"error":{"code","message","remedy","details"}}\`.`,
    "Exit codes of the command line: 0 ok, 1 failed or a negative verdict, 2 usage, 3 denied, 4 not found, 5 conflict, 6 unavailable.",
    table(["code", "HTTP", "exit", "message", "remedy"], cells),
  );
}
