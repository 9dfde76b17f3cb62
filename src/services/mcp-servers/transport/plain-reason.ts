import { memberOf } from "../../../kernel/index.ts";

const CAUSES_MAX = 5;
const ISSUES_SHOWN = 3;
const INVALID = /^Invalid result for (\S+): (?=\[)/;

/** What a person is told of an error of the library: one sentence, with the cause that counts. */
export function plainReason(thrown: unknown): string {
  const network = networkCode(thrown);
  if (network !== null) return `it cannot be reached (${network})`;
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  if (said.endsWith("fetch failed")) return `it cannot be reached (${deepest(thrown)})`;
  const [opening, method] = INVALID.exec(said) ?? [];
  const issues = opening === undefined ? null : issuesIn(said.slice(opening.length));
  return issues === null ? said : `its answer to ${method} is not valid: ${issues}`;
}

/** `ECONNREFUSED` and its like lie some causes deep below "fetch failed". */
export function networkCode(thrown: unknown): string | null {
  const codes = causesOf(thrown).map((cause) => memberOf(cause, "code"));
  return codes.find((code): code is string => typeof code === "string" && NETWORK.test(code)) ?? null;
}

const NETWORK = /^(E[A-Z]{3,}|UND_ERR_\w+|\w*CERT\w*|ERR_TLS\w*)$/;

function deepest(thrown: unknown): string {
  return String(memberOf(causesOf(thrown).at(-1), "message") ?? thrown);
}

function causesOf(thrown: unknown): readonly unknown[] {
  const causes = [thrown];
  for (let cause = memberOf(thrown, "cause"); cause !== undefined; cause = memberOf(cause, "cause")) {
    if (causes.length === CAUSES_MAX) break;
    causes.push(cause);
  }
  return causes;
}

/** Where an answer is wrong, such as `tools.0.inputSchema.type: expected "object"`. */
function issuesIn(text: string): string | null {
  const issues = listIn(text).flatMap((issue) => {
    const [path, message] = [memberOf(issue, "path"), memberOf(issue, "message")];
    return Array.isArray(path)
      ? [`${path.map(String).join(".")}: ${String(message).replace(/^Invalid input: /, "")}`]
      : [];
  });
  if (issues.length === 0) return null;
  const more = issues.length - ISSUES_SHOWN;
  return `${issues.slice(0, ISSUES_SHOWN).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function listIn(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
