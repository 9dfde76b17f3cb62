import { ClientError, ERRORS } from "../../client/index.ts";
import { expectWords, parseArguments } from "../arguments.ts";
import { EVERYDAY } from "../everyday.ts";
import { bold, joined } from "../screen/styled.ts";
import { runSyscall } from "../syscall/run-syscall.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const { usage: USAGE } = EVERYDAY.governance;

/** These work in a clone without a daemon and start none. Every other verb is a syscall. */
const OFFLINE: { readonly [verb: string]: RunCommand } = { verify, check, build, compose, import: importFrom };

export const run: RunCommand = async (terminal, given) => {
  const [verb = "", ...args] = given.args;
  const offline = Object.hasOwn(OFFLINE, verb) ? OFFLINE[verb] : undefined;
  if (offline === undefined) return runSyscall(terminal, { ...given, args: ["governance", ...given.args] });
  try {
    return await offline(terminal, { ...given, args });
  } catch (thrown) {
    throw asRefused(thrown);
  }
};

async function openLaw(terminal: Terminal) {
  const { createOfflineLaw } = await import("../../governance/index.ts");
  const { environment, home } = terminal;
  return createOfflineLaw({ environment, home, nowMs: Date.now });
}

/** Exits with 1 when anything is wrong. */
async function verify(terminal: Terminal, { args, json }: Parameters<RunCommand>[1]): Promise<number> {
  expectWords(parseArguments(args, {}).positionals, [], USAGE);
  const report = await (await openLaw(terminal)).verify(terminal.cwd);
  const { ok, problems, branch, tip, signer, isHistoryCut, law } = report;
  if (json) {
    const rules = law?.lock.rules.length ?? null;
    terminal.printJson({ ok, problems, branch, tip, signer, rules, isHistoryCut });
    return ok ? EXIT.ok : EXIT.failed;
  }
  for (const { at, message, remedy } of problems) {
    terminal.print(`!!  ${at === "committed" ? (branch ?? at) : "checked out"}: ${message}`);
    terminal.print(`    remedy: ${remedy}`);
  }
  if (isHistoryCut)
    terminal.print("--  The history is cut off here, so the chain of locks was not followed to its beginning.");
  if (!ok) {
    terminal.print(bold(`${problems.length === 1 ? "1 problem" : `${problems.length} problems`}`));
    return EXIT.failed;
  }
  const by = signer === null ? "not signed" : `signed by ${signer.split("+", 1)[0]}`;
  if (law === null) terminal.print(bold("The law is sound. It holds once it is committed."));
  else terminal.print(bold(`The law of ${branch} is sound: ${law.lock.rules.length} rules, ${by}.`));
  return EXIT.ok;
}

/** Exits with 0 for a yes, 1 for a no and for a question. */
async function check(terminal: Terminal, { args, json }: Parameters<RunCommand>[1]): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    ticket: { type: "string" },
    evidence: { type: "string", multiple: true },
  });
  expectWords(positionals, ["VERB", "PATH"], USAGE);
  const [verb = "", path = ""] = positionals;
  const { ticket = null, evidence = [] } = values;
  const law = await openLaw(terminal);
  const judged = await law.check({ cwd: terminal.cwd, verb, path, ticket, evidence });
  const { verdict, rules, reason, requires } = judged;
  if (json) terminal.printJson({ verdict, rules, reason, requires });
  else {
    terminal.print(joined(bold(verdict), `  ${rules.join(", ")}`));
    if (reason !== "") terminal.print(reason);
    for (const one of requires) terminal.print(`It takes: --evidence ${one}`);
  }
  return verdict === "allow" ? EXIT.ok : EXIT.failed;
}

async function build(terminal: Terminal, { args, json }: Parameters<RunCommand>[1]): Promise<number> {
  expectWords(parseArguments(args, {}).positionals, [], USAGE);
  const { file, isNew, rules, notes } = await (await openLaw(terminal)).build(terminal.cwd);
  if (json) terminal.printJson({ file, isNew, rules, notes });
  else {
    for (const { line, id, reason } of notes)
      terminal.print(`--  line ${line}${id === null ? "" : ` (${id})`}: ${reason}`);
    terminal.print(`${file}: ${rules} rules, ${isNew ? "written" : "unchanged"}.`);
    if (isNew) terminal.print("Next: nomos governance compose");
  }
  return EXIT.ok;
}

async function compose(terminal: Terminal, { args, json }: Parameters<RunCommand>[1]): Promise<number> {
  expectWords(parseArguments(args, {}).positionals, [], USAGE);
  const { file, isNew, signer } = await (await openLaw(terminal)).compose(terminal.cwd);
  if (json) terminal.printJson({ file, isNew, signer });
  else {
    const by = signer === null ? "not signed, because this home has no key" : `signed by ${signer.split("+", 1)[0]}`;
    terminal.print(`${file}: ${isNew ? "written" : "unchanged"}, ${by}.`);
    if (isNew) terminal.print("Next: commit .nomos");
  }
  return EXIT.ok;
}

async function importFrom(terminal: Terminal, { args, json }: Parameters<RunCommand>[1]): Promise<number> {
  const { values, positionals } = parseArguments(args, { "dry-run": { type: "boolean" } });
  const isDryRun = values["dry-run"] === true;
  expectWords(positionals, ["exo"], USAGE);
  if (positionals[0] !== "exo")
    throw new ClientError("usage", { message: `Unknown source "${positionals[0]}".`, remedy: `Usage: ${USAGE}` });
  const { written, kept, leftOut } = await (await openLaw(terminal)).importExo(terminal.cwd, isDryRun);
  if (json) terminal.printJson({ written, kept, leftOut });
  else {
    for (const file of written) terminal.print(`${isDryRun ? "to write " : "written  "} ${file}`);
    for (const file of kept) terminal.print(`kept      ${file}: it is there already`);
    for (const { what, reason } of leftOut) terminal.print(`left out  ${what}: ${reason}`);
    if (written.length > 0 && !isDryRun)
      terminal.print("Next: read .nomos/CONSTITUTION.md, then nomos governance build");
  }
  return EXIT.ok;
}

/** What a lower layer refuses has a code of the catalogue, a message and a remedy of its own. */
function asRefused(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof ClientError) return thrown;
  if (!("code" in thrown) || typeof thrown.code !== "string" || !Object.hasOwn(ERRORS, thrown.code)) return thrown;
  const words = "remedy" in thrown && typeof thrown.remedy === "string" ? { remedy: thrown.remedy } : {};
  const details = "details" in thrown && typeof thrown.details === "object" ? { ...thrown.details } : {};
  return new ClientError(thrown.code, { message: thrown.message, ...words, details, cause: thrown });
}
