import { type Document, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, YAMLMap } from "yaml";
import { NomosError } from "../../contract/index.ts";
import type { Ticket } from "../../domains/index.ts";
import { canonicalJson, type Json } from "../../kernel/index.ts";
import { parseTicketFile } from "./parse-ticket-file.ts";

/** The order of a new file. In one that people wrote theirs stays. */
const FIELDS: readonly (keyof Ticket)[] = [
  ...(["id", "kind", "title", "body", "type", "priority", "parent", "lane", "scope", "fileBudget"] as const),
  ...(["checks", "acceptance", "blockers", "labels", "risk", "resourceProfile", "brainDump"] as const),
  ...(["boundary", "successCondition", "createdAt"] as const),
];

/** Left out of a new file while they say nothing. */
const QUIET: readonly (keyof Ticket)[] = [
  ...(["body", "parent", "lane", "checks", "acceptance", "blockers", "labels", "resourceProfile"] as const),
  ...(["brainDump", "boundary", "successCondition", "createdAt"] as const),
];

/**
 * The text of a ticket's file. Of `before` everything stays that did not change: comments, the order of the fields, and
 * fields that only people know.
 */
export function writeTicketFile(ticket: Ticket, before: string | null): string {
  const old = before === null ? null : parseTicketFile(Buffer.from(before), ticket.id);
  if (old !== null && "message" in old)
    throw new NomosError("ticket_invalid", { ticket: ticket.id, reason: old.message });
  const document = parseDocument(before ?? "{}\n", { version: "1.2", schema: "core" });
  const map = isMap(document.contents) ? document.contents : new YAMLMap();
  document.contents = map as never;
  map.flow = false;
  for (const field of FIELDS) if (old === null || isChanged(field, old, ticket)) setField(document, map, field, ticket);
  const text = document.toString({ lineWidth: 0, blockQuote: "literal", flowCollectionPadding: false });
  const read = parseTicketFile(Buffer.from(text), ticket.id);
  if ("message" in read || canonicalJson(jsonOf(read)) !== canonicalJson(jsonOf(ticket)))
    throw new NomosError("internal", { reason: `the file of ${ticket.id} would not say what it should` });
  return text;
}

function isChanged(field: keyof Ticket, old: Ticket, ticket: Ticket): boolean {
  return canonicalJson(plainOf(field, old)) !== canonicalJson(plainOf(field, ticket));
}

function jsonOf(ticket: Ticket): Json {
  return JSON.parse(JSON.stringify(ticket)) as Json;
}

function setField(document: Document, map: YAMLMap, field: keyof Ticket, ticket: Ticket): void {
  const value = plainOf(field, ticket);
  const there = pairOf(map, field);
  if (there !== null) {
    if (value === null || isQuiet(field, value)) map.delete(field);
    else there.value = withCommentOf(there.value, nodeOf(document, value));
    return;
  }
  if (value === null || isQuiet(field, value)) return;
  map.items.splice(placeOf(map, field), 0, document.createPair(field, nodeOf(document, value)));
}

/** Behind the field that comes before it in our order, wherever people put that. */
function placeOf(map: YAMLMap, field: keyof Ticket): number {
  const earlier = FIELDS.slice(0, FIELDS.indexOf(field));
  return 1 + map.items.findLastIndex((item) => earlier.some((one) => nameOf(item) === one));
}

function isQuiet(field: keyof Ticket, value: Json): boolean {
  if (!QUIET.includes(field)) return false;
  return value === "" || value === "default" || (Array.isArray(value) && value.length === 0);
}

/** As it stands in a file: a criterion without a check has no such member. */
function plainOf(field: keyof Ticket, ticket: Ticket): Json {
  const value = JSON.parse(JSON.stringify(ticket[field])) as Json;
  if (field !== "acceptance") return value;
  return ticket.acceptance.map(({ id, text, check }) => ({
    id,
    text,
    ...(check === null ? {} : { check: [...check] }),
  }));
}

function withCommentOf(old: unknown, node: Node): Node {
  if (isScalar(old) && old.comment != null) node.comment = old.comment;
  return node;
}

/** Commands stay on one line. */
function nodeOf(document: Document, value: Json): Node {
  const node = document.createNode(value) as Node;
  flowCommands(node, false);
  return node;
}

function flowCommands(node: unknown, isInner: boolean): void {
  if (isMap(node)) {
    for (const pair of node.items) flowCommands(pair.value, nameOf(pair) === "check");
    return;
  }
  if (!isSeq(node)) return;
  node.flow = isInner || node.items.length === 0;
  for (const item of node.items) flowCommands(item, true);
}

function pairOf(map: YAMLMap, field: string): Pair | null {
  return map.items.find((item) => nameOf(item) === field) ?? null;
}

function nameOf(item: unknown): unknown {
  if (!isPair(item)) return null;
  return isScalar(item.key) ? item.key.value : item.key;
}
