import { type Client, ClientError, type OutputOf } from "../../../client/index.ts";
import { parseArguments, usageError } from "../../arguments.ts";
import { clientOf } from "../../daemon/connect.ts";
import { type FoundDaemon, findDaemon } from "../../daemon/find-daemon.ts";
import { startupError } from "../../daemon/startup-error.ts";
import { type BoundsReport, boundsChecks } from "../../doctor/bounds-checks.ts";
import { type Check, fine, problem, warning } from "../../doctor/check.ts";
import { homeChecks } from "../../doctor/home-checks.ts";
import { lawChecks } from "../../doctor/law-checks.ts";
import { type LogReport, logChecks } from "../../doctor/log-checks.ts";
import { EVERYDAY } from "../../everyday.ts";
import { patiently } from "../../patiently.ts";
import { bold } from "../../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

interface DoctorOptions {
  readonly rebuild: boolean;
  readonly repair: boolean;
}

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, { rebuild: { type: "boolean" }, repair: { type: "boolean" } });
  if (positionals[0] !== undefined) throw usageError(`Unexpected argument "${positionals[0]}".`, EVERYDAY.doctor.usage);
  const options = { rebuild: values.rebuild === true, repair: values.repair === true };
  const daemon = await findDaemon(terminal.home);
  const machine = await homeChecks(terminal.home, options.repair);
  const report = daemon === null ? await examined(terminal, options) : await asked(terminal, daemon, options);
  // One row for the configuration: what the log's opening says of it is more exact.
  const isConfigRefused = "refusal" in report && report.refusal.name === "config";
  const checks = [
    ...machine.filter(({ name }) => !isConfigRefused || name !== "config"),
    ...("log" in report ? logChecks(report, options.repair) : [report.refusal]),
    ...("bounds" in report && report.bounds !== null ? boundsChecks(report.bounds) : []),
    ...("hints" in report ? report.hints : []),
    ...(await lawChecks(terminal)),
  ];
  const ok = checks.every(({ finding }) => finding !== "problem");
  if (json) {
    const up = daemon === null ? null : { pid: daemon.pid, url: daemon.url, version: daemon.version };
    const {
      log,
      models,
      tree,
      followers = null,
      snapshots,
      sandbox,
      home = null,
      vault = null,
    } = "log" in report ? report : NOTHING;
    const { anchors = null, compared = null } = "log" in report ? report : {};
    const evidence = { anchors, compared };
    terminal.printJson({
      ok,
      log,
      models,
      tree,
      ...evidence,
      followers,
      snapshots,
      home,
      vault,
      sandbox,
      daemon: up,
      checks,
    });
  } else {
    for (const check of checks) printCheck(terminal, check);
    terminal.print(daemon === null ? "no daemon runs" : `the daemon runs: ${daemon.url} (pid ${daemon.pid})`);
    terminal.print(bold(ok ? "all is well" : "something is wrong"));
  }
  return ok ? EXIT.ok : EXIT.failed;
};

const NOTHING = {
  log: null,
  models: null,
  tree: null,
  followers: null,
  snapshots: null,
  home: null,
  vault: null,
  sandbox: null,
};

async function asked(
  terminal: Terminal,
  daemon: FoundDaemon,
  options: DoctorOptions,
): Promise<LogReport & { readonly bounds: BoundsReport; readonly hints: readonly Check[] }> {
  const client = await clientOf(terminal, daemon);
  const { usage, disk, wal, ...report } = await patiently(terminal, "doctor", (progress) =>
    client.call("system.doctor", { ...options }, { progress }),
  );
  const { models }: Partial<OutputOf<"system.status">> = await client.call("system.status", {});
  const hints = models === undefined ? [] : [aboutModel(models.default)];
  return { ...report, bounds: { usage, disk, wal }, hints: [...hints, ...(await aboutPlaintext(client))] };
}

const KEYS_NAMED_MAX = 10;

/** Keys in config.json are in every backup; in the vault they are sealed. Whoever may not ask is told nothing. */
async function aboutPlaintext(client: Client): Promise<readonly Check[]> {
  const { found } = await client.call("secret.plaintext", {}).catch((thrown: unknown) => {
    if (thrown instanceof ClientError && NOT_TOLD.includes(thrown.code)) return { found: [] };
    throw thrown;
  });
  return found
    .slice(0, KEYS_NAMED_MAX)
    .map(({ path, name, says }) =>
      says === null
        ? warning("secrets", `a key lies in config.json: ${path}`, `nomos secret import --config moves it, as ${name}`)
        : warning("secrets", `a key lies in config.json: ${path}`, `replace it by a stronger one: ${says}`),
    );
}

/** An earlier daemon does not know the call. */
const NOT_TOLD: readonly string[] = ["denied", "unauthorized", "sandbox_floor", "unknown_syscall", "not_found"];

/** No fault: other agents bring their own models. */
function aboutModel(chosen: string | null): Check {
  return fine("model", chosen ?? "none is configured, which only the agent `nomos` needs: `nomos model add`");
}

/** Without a daemon this process opens the log. A log that does not open is a finding, unless another process has it open. */
async function examined(
  terminal: Terminal,
  options: DoctorOptions,
): Promise<(LogReport & { readonly bounds: null }) | { readonly refusal: Check }> {
  const { examine } = await import("../../../app/index.ts");
  try {
    const { environment } = terminal;
    const { ok: _ok, ...report } = await examine(terminal.home, { ...options, environment });
    return { ...report, snapshots: null, bounds: null };
  } catch (thrown) {
    const error = startupError(thrown, terminal.home);
    if (!(error instanceof ClientError) || error.code === "home_in_use") throw error;
    const subject = error.details["file"] === "config.json" ? "config" : "log";
    return { refusal: problem(subject, `${error.message} (${error.code})`, error.remedy) };
  }
}

function printCheck(terminal: Terminal, { name, finding, message, remedy }: Check): void {
  const mark = { fine: "ok", warning: "--", problem: "!!" }[finding];
  terminal.print(`${mark}  ${name.padEnd(8)} ${message}`);
  if (remedy !== null) terminal.print(`             remedy: ${remedy}`);
}
