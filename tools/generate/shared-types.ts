import { AgentWire, ApprovalWire, EventWire, SessionWire, TodoWire } from "../../src/contract/index.ts";
import { schemaOf } from "./json-schema.ts";
import { typeText } from "./type-text.ts";

/** Shapes that many syscalls share, under a readable name. */
const SHARED = {
  Agent: AgentWire,
  Approval: ApprovalWire,
  LogEvent: EventWire,
  Session: SessionWire,
  TodoItem: TodoWire,
};

/** `named`: text of a type -> its name. */
export function sharedTypes(): { readonly named: ReadonlyMap<string, string>; readonly declared: readonly string[] } {
  const named = new Map<string, string>();
  const declared = Object.entries(SHARED).map(([name, schema]) => {
    const text = typeText(schemaOf(schema, "output"), named);
    named.set(text, name);
    return `export type ${name} = ${text};\n`;
  });
  return { named, declared };
}
