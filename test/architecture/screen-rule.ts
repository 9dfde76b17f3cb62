import { Visitor } from "oxc-parser";
import type { Finding, Rule } from "./rule.ts";
import type { SourceFile } from "./source-tree.ts";

/** The file that cleans every text before it is written. */
const WRITER = "src/cli/screen/open-screen.ts";
/** Separate programs that speak a protocol with their parent process. */
const CHILDREN: readonly string[] = [
  "packages/aip46-conformance/src/main.ts",
  "packages/aip46-conformance/src/memory-agent.ts",
  "src/services/user-tools/process/main.ts",
  "src/turns/line/host-process.ts",
  "src/engine/process/main.ts",
  "src/host/snapshots/restore/apply-plan.ts",
];
/** What draws in place, with text that the writer made harmless, and commands that pass JSON on. */
const RAW: readonly string[] = [
  WRITER,
  "src/cli/terminal.ts",
  "src/cli/screen/full-screen.ts",
  "src/cli/screen/key-input.ts",
  "src/cli/screen/live-region.ts",
  "src/cli/commands/mcp.ts",
  "src/cli/commands/rpc.ts",
];
/** Runs a program that a person asked for, such as their editor. */
const HANDS_ON = "src/cli/screen/run-in-terminal.ts";
/** The only folder that may use terminal control sequences. */
const STEERING = "src/cli/screen/";

const STREAMS: readonly string[] = ["stdout", "stderr", "_rawDebug"];
const SOURCES: readonly string[] = ["process", "node:process", "console", "node:console"];
const DEVICES = /^\/dev\/(?:tty|stdout|stderr|fd\/|pts\/)|^\/proc\/self\/fd\/[12]/;
const STEERS: readonly string[] = ["\u001b", "\u009b"];

/** Only the one writer may write to the terminal, so that no new command can forget to clean its text. */
export const oneScreen: Rule = ({ files }) =>
  files
    .filter(({ path, isTest }) => !isTest && path !== WRITER && !CHILDREN.includes(path))
    .flatMap((file) => (file.path.endsWith(".generated.ts") ? [] : findingsIn(file)));

function findingsIn(file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  const note = (start: number, what: string): void => {
    findings.push({ file: file.path, line: file.lineAt(start), message: `${what}: print by the Terminal` });
  };
  const literal = (start: number, value: string): void => {
    if (!file.path.startsWith("src/cli/")) return;
    if (DEVICES.test(value)) note(start, `opens ${value}`);
    if (value === "inherit" && file.path !== HANDS_ON) note(start, "hands the terminal on");
    if (STEERS.some((sign) => value.includes(sign)) && !file.path.startsWith(STEERING))
      note(start, "holds an escape sequence");
  };
  new Visitor({
    Identifier: ({ start, name }) => {
      if (name === "console") note(start, "uses console");
    },
    MemberExpression: ({ start, object, property, computed }) => {
      const name = property.type === "Identifier" && !computed ? property.name : null;
      const key = property.type === "Literal" && computed ? String(property.value) : name;
      if (object.type === "Identifier" && object.name === "process" && (key === null || STREAMS.includes(key)))
        note(start, `uses process.${key ?? "[...]"}`);
      if (key === "rawOutput" && !RAW.includes(file.path)) note(start, "uses rawOutput");
    },
    VariableDeclarator: ({ start, id, init }) => {
      if (init?.type !== "Identifier" || init.name !== "process") return;
      if (id.type !== "ObjectPattern") return note(start, "gives process another name");
      for (const property of id.properties) {
        const key = property.type === "Property" && property.key.type === "Identifier" ? property.key.name : null;
        if (key === null || STREAMS.includes(key)) note(start, `takes ${key ?? "everything"} from process`);
      }
    },
    ImportDeclaration: ({ start, source }) => {
      if (SOURCES.includes(source.value)) note(start, `imports ${source.value}`);
    },
    CallExpression: ({ start, callee, arguments: [first] }) => {
      const name = callee.type === "MemberExpression" ? callee.property : callee;
      const isWrite = name.type === "Identifier" && /^write(?:v|File)?(?:Sync)?$/.test(name.name);
      if (isWrite && first?.type === "Literal" && (first.value === 1 || first.value === 2))
        note(start, `writes to file descriptor ${first.value}`);
    },
    Literal: ({ start, value }) => {
      if (typeof value === "string") literal(start, value);
    },
    TemplateElement: ({ start, value }) => literal(start, value.cooked ?? ""),
  }).visit(file.parsed.program);
  return findings;
}
