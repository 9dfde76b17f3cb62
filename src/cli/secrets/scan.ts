import { ClientError, type OutputOf } from "../../client/index.ts";
import { connect } from "../daemon/connect.ts";
import { patiently } from "../patiently.ts";
import { counted, spellBytes } from "../print/spell.ts";
import { tableLines } from "../print/table.ts";
import { openKeyInput } from "../screen/key-input.ts";
import { entryOf } from "../syscall/find-syscall.ts";
import { readInput } from "../syscall/read-input.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

type Report = OutputOf<"secret.scan">;

/** Erasing is for good, so a person at a terminal is asked once more. A script said `--erase`. */
export const runScan: RunCommand = async (terminal, { args, json }) => {
  const entry = await entryOf("secret.scan");
  const { input, idempotencyKey } = await readInput(
    terminal,
    { name: "secret.scan", spelling: "secret scan", rest: args },
    entry,
  );
  if (input["erase"] === true && terminal.isKeyboard() && !json) await confirm(terminal);
  const client = await connect(terminal);
  const key = idempotencyKey === null ? {} : { idempotencyKey };
  const report = await patiently(terminal, "secret scan", (progress) =>
    client.call("secret.scan", input, { ...key, ...(progress === undefined ? {} : { progress }) }),
  );
  if (json) terminal.printJson(report);
  else for (const line of linesOf(terminal, report, input["erase"] === true)) terminal.print(line);
  return EXIT.ok;
};

async function confirm(terminal: Terminal): Promise<void> {
  terminal.complain("Events that hold a secret lose their data for good. Erase it? [y/N]");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const keys = openKeyInput(
    terminal,
    ({ text }) => resolve(text.toLowerCase() === "y"),
    () => resolve(false),
  );
  const isMeant = await promise.finally(keys.close);
  if (!isMeant)
    throw new ClientError("usage", {
      message: "Nothing was erased.",
      remedy: "Run it without `--erase` to see what was found.",
    });
}

function linesOf(
  terminal: Terminal,
  report: Report,
  isErasing: boolean,
): readonly (string | ReturnType<typeof tableLines>[number])[] {
  const { looked, secrets, erased, left, files } = report;
  const places = `${counted(looked.events, "event")}, ${counted(looked.blobs, "blob")} and ${counted(looked.files, "file")}`;
  return [
    `Looked at ${places}; ${spellBytes(looked.bytes)} of blobs and files.`,
    ...(report.vault === "locked"
      ? ["The vault is locked: its values were not looked for. Next: nomos secret unlock"]
      : []),
    secrets.length === 0 ? "No secret was found." : `Found ${counted(secrets.length + report.moreSecrets, "secret")}:`,
    ...(secrets.length === 0 ? [] : secretTable(terminal, secrets)),
    ...(report.next === null ? [] : [`More places: nomos secret scan --after ${report.next} --json`]),
    ...(isErasing ? [`Erased the data of ${counted(erased.events, "event")}. Old proofs stay valid.`] : []),
    ...left.map(({ stream, events, code }) => `Not erased: ${counted(events, "event")} of ${stream}: ${code}.`),
    ...(report.more ? ["Not done yet. Next: the same command again"] : []),
    ...files.flatMap(({ what, path, count, remedy }) => [
      `${what} ${path}: found ${counted(count, "time")}.`,
      `  ${remedy}`,
    ]),
    ...(report.moreFiles === 0 ? [] : [`And ${counted(report.moreFiles, "more file")}.`]),
    ...report.unread.map(
      ({ as, count, names }) => `Not looked into: ${counted(count, "text")} (${as}), such as ${names[0]}.`,
    ),
    ...(secrets.length === 0 ? [] : advice(report, isErasing)),
  ];
}

function secretTable(terminal: Terminal, secrets: Report["secrets"]) {
  const rows = secrets.map(({ kind, fingerprint, count, events, erasable, sessions, moreSessions, files }) => [
    ...[kind, fingerprint, String(count), String(events), String(erasable), String(files)],
    `${sessions.slice(0, SESSIONS_SHOWN).join(" ")}${sessions.length > SESSIONS_SHOWN || moreSessions ? " ..." : ""}`,
  ]);
  return tableLines(terminal, ["KIND", "FINGERPRINT", "FOUND", "EVENTS", "ERASABLE", "FILES", "SESSIONS"], rows);
}

const SESSIONS_SHOWN = 3;

function advice({ secrets, notes }: Report, isErasing: boolean): readonly string[] {
  const isKept = secrets.some(({ events, erasable }) => events > erasable);
  return [
    ...(isKept
      ? ["Events that cannot be erased hold the state of a session together, or their header names the secret."]
      : []),
    ...notes,
    "Whoever could read this home may know these values: replace them where they were issued.",
    ...(isErasing ? [] : ["Next: nomos secret scan --erase, with the same options"]),
  ];
}
