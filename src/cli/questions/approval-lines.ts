import { memberOf } from "../../kernel/index.ts";
import type { Row } from "../print/columns.ts";
import { spell, spellAge } from "../print/spell.ts";
import { oneLine } from "../print/table.ts";
import { bold, dim, joined, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { questionLines } from "./question-lines.ts";

const INDENT = "  ";

/** Prints approvals in full: the question below its id, never cut at the margin. */
export function approvalLines(terminal: Terminal, approvals: readonly Row[]): readonly Text[] {
  return approvals.flatMap((approval) => {
    const { id, status, sessionId, question, options, action, createdAt } = approval;
    const offered = Array.isArray(options) ? options.map(String) : [];
    const about = memberOf(action, "verb");
    const asked = questionLines(terminal.columns - INDENT.length, spell(question), offered);
    return [
      joined(bold(oneLine(spell(id))), `  ${spell(status)}  asked ${spellAge(createdAt)}`),
      ...(sessionId === undefined ? [] : [dim(`${INDENT}session ${oneLine(spell(sessionId))}`)]),
      ...(about === undefined ? [] : actionLines(terminal, `${String(about)} ${String(memberOf(action, "resource"))}`)),
      ...asked.map((line) => yellow(`${INDENT}${line}`)),
    ];
  });
}

function actionLines(terminal: Terminal, action: string): readonly Text[] {
  return questionLines(terminal.columns - INDENT.length, action, []).map((line) =>
    yellow(INDENT + line.replace(/^\?/, "!")),
  );
}
