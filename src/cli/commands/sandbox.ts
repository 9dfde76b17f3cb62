import { resolve } from "node:path";
import { parseArguments, usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { pairLines } from "../print/table.ts";
import { runSyscall } from "../syscall/run-syscall.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const USAGE = EVERYDAY.sandbox.usage;

export const run: RunCommand = async (terminal, given) => {
  const [verb, ...args] = given.args;
  const isSpelledOut = args.some((one) => one.startsWith("--argv"));
  if (verb === "run" && !isSpelledOut) return tryOut(terminal, { ...given, args });
  if (verb === "explain" && !given.json && args.length === 1) return explain(terminal, args[0] ?? "");
  return runSyscall(terminal, { ...given, args: ["sandbox", ...given.args] });
};

/** Prints the command's output and exits with its exit code. */
const tryOut: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    cwd: { type: "string", short: "C" },
    "allow-net": { type: "string", multiple: true },
    "timeout-ms": { type: "string" },
  });
  if (positionals.length === 0) throw usageError("COMMAND is missing.", USAGE);
  const allow = values["allow-net"]?.flatMap((hosts) => hosts.split(","));
  const timeoutMs = values["timeout-ms"] === undefined ? undefined : Number(values["timeout-ms"]);
  const client = await connect(terminal);
  const ran = await client.call("sandbox.run", {
    argv: positionals,
    cwd: resolve(terminal.cwd, values.cwd ?? "."),
    ...(allow === undefined ? {} : { network: { allow } }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  if (json) {
    terminal.printJson(ran);
    return ran.exitCode === 0 ? EXIT.ok : EXIT.failed;
  }
  for (const line of linesOf(ran.stdout)) terminal.print(line);
  for (const line of linesOf(ran.stderr)) terminal.complain(line);
  for (const { host, port, reason } of ran.denied) terminal.complain(`refused: ${host}:${port} (${reason})`);
  if (ran.timedOut) terminal.complain("the command took too long and was ended");
  return ran.exitCode ?? EXIT.failed;
};

function linesOf(output: string): readonly string[] {
  return output === "" ? [] : output.replace(/\r?\n$/, "").split(/\r?\n/);
}

async function explain(terminal: Terminal, id: string): Promise<number> {
  const client = await connect(terminal);
  const { mode, holds, notices, files, network, secrets, limits } = await client.call("sandbox.explain", { id });
  terminal.print(
    `sandbox ${mode}: ${holds ? "enforced by the operating system" : "not enforced by the operating system"}`,
  );
  for (const notice of notices) terminal.print(`  ! ${notice}`);
  terminal.print("files");
  for (const line of pairLines(
    terminal,
    files.map(({ path, access, why }) => [access, `${path}  (${why})`] as const),
  ))
    terminal.print(`  ${line}`);
  terminal.print(`network: ${network.open ? "every address that the machine reaches" : "only the addresses below"}`);
  for (const { host, why } of network.reachable) terminal.print(`  ${host}  (${why})`);
  for (const { host, port, reason, count } of network.denied)
    terminal.print(`  refused ${count} times: ${host}:${port} (${reason})`);
  if (secrets.length > 0) terminal.print("secrets");
  for (const { name, variable, for: whose, problem } of secrets) {
    const place = whose === "session" ? "its processes hold it" : "its driver's process holds it";
    terminal.print(
      `  ${name ?? "of somebody else"}  (${place} as ${variable || "a variable"}${problem === null ? "" : `; ${problem}`})`,
    );
  }
  const spelled = [
    ["memory", limits.memoryMb === null ? "no limit" : `${limits.memoryMb} MB`],
    ["processes", limits.pidsMax === null ? "no limit" : String(limits.pidsMax)],
    ["processors", limits.cpus === null ? "no limit" : String(limits.cpus)],
  ] as const;
  terminal.print(`limits: ${limits.by === null ? "for each process alone" : `by ${limits.by}`}`);
  for (const line of pairLines(terminal, spelled)) terminal.print(`  ${line}`);
  if (limits.absent.length > 0) terminal.print(`  not enforced on this machine: ${limits.absent.join(", ")}`);
  return EXIT.ok;
}
