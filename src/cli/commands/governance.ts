import { ClientError, ERRORS } from "../../client/index.ts";
import { bold, joined, type Text } from "../screen/styled.ts";
import { entryOf, findSyscall } from "../syscall/find-syscall.ts";
import { readInput } from "../syscall/read-input.ts";
import { runSyscall } from "../syscall/run-syscall.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

/** What a syscall's definition reads from the words of the call. */
type Input = Readonly<Record<string, unknown>>;

interface Told {
  /** As the syscall of the same name answers. */
  readonly output: object;
  readonly lines: readonly Text[];
  readonly isYes: boolean;
}

/** These work in a clone without a daemon and start none. Every other verb is a syscall. */
const OFFLINE: { readonly [verb: string]: (law: OfflineLaw, input: Input) => Promise<Told> } = {
  verify,
  check,
  build,
  compose,
  import: importFrom,
};

export const run: RunCommand = async (terminal, given) => {
  const { args, json } = given;
  const [verb = ""] = args;
  const words = ["governance", ...args];
  const offline = Object.hasOwn(OFFLINE, verb) ? OFFLINE[verb] : undefined;
  const found = findSyscall(words);
  if (offline === undefined || found === null) return runSyscall(terminal, { ...given, args: words });
  const { input } = await readInput(terminal, found, await entryOf(found.name));
  const { output, lines, isYes } = await offline(await openLaw(terminal), input).catch(refused);
  if (json) terminal.printJson(output);
  else for (const line of lines) terminal.print(line);
  return isYes ? EXIT.ok : EXIT.failed;
};

type OfflineLaw = Awaited<ReturnType<typeof openLaw>>;

async function openLaw(terminal: Terminal) {
  const { createOfflineLaw } = await import("../../governance/index.ts");
  const { environment, home } = terminal;
  return createOfflineLaw({ environment, home, nowMs: Date.now });
}

const textOf = (input: Input, member: string): string => String(input[member] ?? "");

async function verify(offline: OfflineLaw, input: Input): Promise<Told> {
  const { ok, problems, branch, tip, signer, isHistoryCut, law } = await offline.verify(textOf(input, "cwd"));
  const output = { ok, problems, branch, tip, signer, rules: law?.lock.rules.length ?? null, isHistoryCut };
  const found = problems.flatMap(({ at, message, remedy }) => [
    `!!  ${at === "committed" ? (branch ?? at) : "checked out"}: ${message}`,
    `    remedy: ${remedy}`,
  ]);
  const cut = "--  The history is cut off here, so the chain of locks was not followed to its beginning.";
  const by = signer === null ? "not signed" : `signed by ${signer.split("+", 1)[0]}`;
  const verdict = !ok
    ? `${problems.length === 1 ? "1 problem" : `${problems.length} problems`}`
    : law === null
      ? "The law is sound. It holds once it is committed."
      : `The law of ${branch} is sound: ${law.lock.rules.length} rules, ${by}.`;
  return { output, lines: [...found, ...(isHistoryCut ? [cut] : []), bold(verdict)], isYes: ok };
}

/** No is also the answer to a question that is open. */
async function check(offline: OfflineLaw, input: Input): Promise<Told> {
  const [cwd, verb, path] = [textOf(input, "cwd"), textOf(input, "verb"), textOf(input, "path")];
  const ticket = textOf(input, "ticket") || null;
  const evidence = Array.isArray(input["evidence"]) ? input["evidence"].map(String) : [];
  const { verdict, rules, reason, requires } = await offline.check({ cwd, verb, path, ticket, evidence });
  const lines = [
    joined(bold(verdict), `  ${rules.join(", ")}`),
    ...(reason === "" ? [] : [reason]),
    ...requires.map((one) => `It takes: --evidence ${one}`),
  ];
  return { output: { verdict, rules, reason, requires }, lines, isYes: verdict === "allow" };
}

async function build(offline: OfflineLaw, input: Input): Promise<Told> {
  const { file, isNew, rules, notes } = await offline.build(textOf(input, "cwd"));
  const lines = [
    ...notes.map(({ line, id, reason }) => `--  line ${line}${id === null ? "" : ` (${id})`}: ${reason}`),
    `${file}: ${rules} rules, ${isNew ? "written" : "unchanged"}.`,
    ...(isNew ? ["Next: nomos governance compose"] : []),
  ];
  return { output: { file, isNew, rules, notes }, lines, isYes: true };
}

async function compose(offline: OfflineLaw, input: Input): Promise<Told> {
  const { file, isNew, signer } = await offline.compose(textOf(input, "cwd"));
  const by = signer === null ? "not signed, because this home has no key" : `signed by ${signer.split("+", 1)[0]}`;
  const lines = [`${file}: ${isNew ? "written" : "unchanged"}, ${by}.`, ...(isNew ? ["Next: commit .nomos"] : [])];
  return { output: { file, isNew, signer }, lines, isYes: true };
}

async function importFrom(offline: OfflineLaw, input: Input): Promise<Told> {
  const isDryRun = input["dryRun"] === true;
  const { written, kept, leftOut } = await offline.importExo(textOf(input, "cwd"), isDryRun);
  const lines = [
    ...written.map((file) => `${isDryRun ? "to write " : "written  "} ${file}`),
    ...kept.map((file) => `kept      ${file}: it is there already`),
    ...leftOut.map(({ what, reason }) => `left out  ${what}: ${reason}`),
    ...(written.length + kept.length === 0 ? [".exo holds nothing that can be imported."] : []),
    ...(written.length > 0 && !isDryRun ? ["Next: read .nomos/CONSTITUTION.md, then nomos init"] : []),
  ];
  return { output: { dryRun: isDryRun, written, kept, leftOut }, lines, isYes: true };
}

/** What a lower layer refuses has a code of the catalogue, a message and a remedy of its own. */
function refused(thrown: unknown): never {
  if (!(thrown instanceof Error) || thrown instanceof ClientError) throw thrown;
  if (!("code" in thrown) || typeof thrown.code !== "string" || !Object.hasOwn(ERRORS, thrown.code)) throw thrown;
  const words = "remedy" in thrown && typeof thrown.remedy === "string" ? { remedy: thrown.remedy } : {};
  const details = "details" in thrown && typeof thrown.details === "object" ? { ...thrown.details } : {};
  throw new ClientError(thrown.code, { message: thrown.message, ...words, details, cause: thrown });
}
