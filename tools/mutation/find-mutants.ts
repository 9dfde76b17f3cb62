import type * as Oxc from "oxc-parser";
import { parseSync, Visitor } from "oxc-parser";
import type { Mutant, MutantKind } from "./mutant.ts";

export type Found = Omit<Mutant, "id">;

interface Spot {
  readonly start: number;
  readonly end: number;
}

const BOUNDARY = new Map(Object.entries({ "<": "<=", "<=": "<", ">": ">=", ">=": ">" }));
const EQUALITY = new Map(Object.entries({ "===": "!==", "!==": "===" }));
const ARITHMETIC = new Map(Object.entries({ "+": "-", "-": "+", "*": "/", "/": "*" }));
const METHODS = new Map(Object.entries({ some: "every", every: "some", min: "max", max: "min" }));
const DROPPED_METHODS = new Set(["filter", "sort", "toSorted", "reverse", "toReversed"]);
/** Larger numbers are sizes and limits, where one more is the same promise. */
const NUMBER_MAX = 3;
const LOGGING = /^(?:log|logger|console)\b/;
/** A bug's own throw: nobody expects it to be reached. */
const BUG = /^throw (?:new (?:Error|TypeError|RangeError)\(|unreachable\()/;

/** Every mutant of one file, in the order of the source. */
export function findMutants(file: string, text: string): readonly Found[] {
  const { program } = parseSync(file, text);
  const finder = createFinder(file, text);
  new Visitor(finder.visitor).visit(program);
  return finder.found().toSorted((one, other) => one.start - other.start || other.end - one.end);
}

function createFinder(file: string, text: string) {
  const found: Found[] = [];
  const names: string[] = [];
  const namedBy = new Map<number, string>();
  /** Nodes by where they begin and end: conditions, types, error texts, parts of optional chains. */
  const tests = new Set<string>();
  const closed: Spot[] = [];
  const chained = new Set<string>();
  /** Leaving out the only statement under a condition is the same as the condition being false. */
  const onlyStatements = new Set<string>();

  const key = ({ start, end }: Spot): string => `${start}-${end}`;
  const source = ({ start, end }: Spot): string => text.slice(start, end);
  const isClosed = ({ start, end }: Spot): boolean => closed.some((spot) => spot.start <= start && end <= spot.end);
  const add = (kind: MutantKind, node: Spot, to: string): void => {
    if (isClosed(node)) return;
    found.push({
      file,
      fn: names.length === 0 ? "(module)" : names.join("."),
      kind,
      start: node.start,
      end: node.end,
      line: text.slice(0, node.start).split("\n").length,
      from: oneLine(source(node)),
      to: oneLine(to),
      code: to,
    });
  };
  const addTest = (test: Oxc.Expression, canLoop: boolean): void => {
    tests.add(key(test));
    if (test.type === "Literal") return;
    if (canLoop) add("condition-true", test, "true");
    add("condition-false", test, "false");
  };
  const enter = (node: Spot & { id?: { name: string } | null }): void => {
    names.push(node.id?.name ?? namedBy.get(node.start) ?? "(function)");
  };
  const leave = (): void => void names.pop();
  const without = (outer: Spot, parts: readonly Spot[], at: number): string => {
    const kept = parts.filter((_, index) => index !== at).map(source);
    return `${text[outer.start]} ${kept.join(", ")} ${text[outer.end - 1]}`;
  };

  const visitor: Oxc.VisitorObject = {
    TSLiteralType: (node) => void closed.push(node),
    TSTypeAnnotation: (node) => void closed.push(node),
    TSTypeAliasDeclaration: (node) => void closed.push(node),
    TSInterfaceDeclaration: (node) => void closed.push(node),
    ImportDeclaration: (node) => void closed.push(node),
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    VariableDeclarator: ({ id, init }) => {
      if (init && id.type === "Identifier") namedBy.set(init.start, id.name);
    },
    Property: ({ key: name, value }) => {
      if (name.type === "Identifier") namedBy.set(value.start, name.name);
    },
    MethodDefinition: ({ key: name, value }) => {
      if (name.type === "Identifier") namedBy.set(value.start, name.name);
    },
    NewExpression: (node) => {
      if (/Error$/.test(source(node.callee))) closed.push({ start: node.callee.end, end: node.end });
    },
    ChainExpression: (node) => {
      for (let at: Oxc.Expression | null = node.expression as Oxc.Expression; at !== null; at = chainStep(at))
        if (key(at) !== key(node.expression)) chained.add(key(at));
    },
    IfStatement: (node) => {
      const { consequent, alternate } = node;
      const only =
        consequent.type === "BlockStatement" && consequent.body.length === 1 ? consequent.body[0] : consequent;
      if (only && !alternate) onlyStatements.add(key(only));
      addTest(node.test, true);
    },
    ConditionalExpression: (node) => addTest(node.test, true),
    WhileStatement: (node) => addTest(node.test, false),
    ForStatement: (node) => {
      if (node.test) addTest(node.test, false);
    },
    SwitchCase: (node) => {
      if (node.test) add("no-case", node.test, "Symbol()");
    },
    BinaryExpression: (node) => {
      const { left, operator, right } = node;
      const put = (kind: MutantKind, other: string | undefined): void => {
        if (other !== undefined) add(kind, node, `${source(left)} ${other} ${source(right)}`);
      };
      put("boundary", BOUNDARY.get(operator));
      if (!tests.has(key(node))) put("equality", EQUALITY.get(operator));
      if (!isText(left) && !isText(right)) put("arithmetic", ARITHMETIC.get(operator));
    },
    LogicalExpression: (node) => {
      const { left, operator, right } = node;
      if (operator === "??") return add("no-default", node, source(left));
      add("drop-left", node, source(right));
      add("drop-right", node, source(left));
    },
    UnaryExpression: (node) => {
      if (node.operator === "!" && !tests.has(key(node))) add("no-not", node, source(node.argument));
    },
    Literal: (node) => {
      if (typeof node.value === "boolean") add("boolean", node, String(!node.value));
      if (typeof node.value === "number" && Number.isInteger(node.value) && node.value <= NUMBER_MAX)
        add("number", node, String(node.value + 1));
      if (node.value === "--ro-bind" || node.value === "--ro-bind-try")
        add("mount", node, JSON.stringify(node.value.replace("ro-", "")));
    },
    CallExpression: (node) => {
      if (chained.has(key(node)) || node.callee.type !== "MemberExpression" || node.callee.computed) return;
      const { object, property } = node.callee;
      const swapped = METHODS.get(source(property));
      if (swapped !== undefined)
        add("method", node, `${text.slice(node.start, property.start)}${swapped}${text.slice(property.end, node.end)}`);
      if (DROPPED_METHODS.has(source(property))) add("method", node, source(object));
    },
    ObjectExpression: (node) => {
      if (!node.properties.some(({ type }) => type === "SpreadElement")) return;
      for (const [at, { type }] of node.properties.entries())
        if (type !== "SpreadElement") add("no-property", node, without(node, node.properties, at));
    },
    ArrayExpression: (node) => {
      const elements = node.elements.filter((element) => element !== null);
      for (const [at, { type }] of elements.entries())
        if (type !== "Literal" && type !== "TemplateLiteral") add("no-element", node, without(node, elements, at));
    },
    ThrowStatement: (node) => {
      if (!BUG.test(source(node)) && !onlyStatements.has(key(node))) add("no-throw", node, "");
    },
    ExpressionStatement: (node) => {
      const kind = deletionOf(node.expression);
      if (kind === null || LOGGING.test(source(node))) return;
      if (!onlyStatements.has(key(node))) add(kind, node, "");
      if (node.expression.type === "AwaitExpression")
        add("no-await", node.expression, source(node.expression.argument));
    },
  };
  return { visitor, found: () => withoutRepeats(found) };
}

/** Two operators can make the same change of the same code: one is enough. */
function withoutRepeats(found: readonly Found[]): readonly Found[] {
  const seen = new Set<string>();
  return found.filter(({ start, end, to }) => {
    const key = `${start}-${end}:${to}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function deletionOf(expression: Oxc.Expression): MutantKind | null {
  const inner = expression.type === "AwaitExpression" ? expression.argument : expression;
  if (inner.type === "AssignmentExpression") return "no-assignment";
  if (inner.type === "UpdateExpression") return "no-assignment";
  if (inner.type === "UnaryExpression")
    return inner.operator === "void" || inner.operator === "delete" ? "no-call" : null;
  if (inner.type === "CallExpression") return inner.callee.type === "Super" ? null : "no-call";
  return inner.type === "ChainExpression" || inner.type === "AwaitExpression" ? "no-call" : null;
}

function chainStep(node: Oxc.Expression): Oxc.Expression | null {
  if (node.type === "CallExpression") return node.callee;
  return node.type === "MemberExpression" ? node.object : null;
}

function isText(node: Oxc.Expression | Oxc.PrivateInExpression["left"]): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
