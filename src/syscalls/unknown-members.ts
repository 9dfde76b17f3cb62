import * as z from "zod";

/** More names help nobody, and an answer's header has little room. */
const NAMES_MAX = 8;
const NAME_CHARS_MAX = 40;

/** The members of an input that its schema does not know, as paths: `promt`, `scope.alow`. They are ignored. */
export function unknownMembers(schema: z.ZodObject, input: Readonly<Record<string, unknown>>): readonly string[] {
  const found: string[] = [];
  find(schema, input, "", found);
  return found;
}

function find(schema: unknown, value: unknown, path: string, found: string[]): void {
  if (typeof value !== "object" || value === null || found.length >= NAMES_MAX) return;
  const inner = bare(schema);
  if (Array.isArray(value)) {
    if (inner instanceof z.ZodArray) for (const item of value) find(inner.element, item, path, found);
    return;
  }
  // A union has several shapes, and a loose object every member: what such a value may hold is not known here.
  if (!(inner instanceof z.ZodObject) || inner.def.catchall !== undefined) return;
  for (const [name, member] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (Object.hasOwn(inner.shape, name)) find(inner.shape[name], member, at, found);
    else note(at, found);
  }
}

function note(path: string, found: string[]): void {
  const name = path.length > NAME_CHARS_MAX ? `${path.slice(0, NAME_CHARS_MAX).toWellFormed()}...` : path;
  if (found.length < NAMES_MAX && !found.includes(name)) found.push(name);
}

/** The schema itself, of one that may be missing or has a default. */
function bare(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return bare(schema.unwrap());
  return schema instanceof z.ZodPipe ? bare(schema.in) : schema;
}
