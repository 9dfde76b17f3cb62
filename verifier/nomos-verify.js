#!/usr/bin/env node
// Verifies an export of a Nomos log, or a proof of who wrote lines. It shares no code with the program that writes the log, and needs nothing but Node.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BundleFault } from "./fault.js";
import { parseCheckpoint, parseKey } from "./note.js";
import { verifyBlame } from "./verify-blame.js";
import { verifyBundle } from "./verify-bundle.js";

const USAGE = `nomos-verify BUNDLE [--key FILE_OR_STRING] [--checkpoint OLDER_NOTE]... [--json]
nomos-verify blame PROOF [FILE] [--key FILE_OR_STRING] [--json]

  BUNDLE        a folder or .tar from \`nomos audit export\`
  PROOF         a file from \`nomos blame FILE --proof\`
  FILE          the file that it is about; every line of the proof must be in it
  --key         the log's verifier key (name+keyid+base64), or a file that holds it; without it the key that the
                bundle or proof brings is believed, which shows that nothing was changed but not who wrote it
  --checkpoint  a file with a checkpoint from earlier; the bundle must continue it. May be given several times
  --json        the verdict as JSON

Ends with 0 when everything holds, with 1 when something does not (the first such thing is named), with 2 when it was
called wrongly.
`;

const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

process.exitCode = main(process.argv.slice(2));

/** @param {string[]} argv */
function main(argv) {
  const asked = parse(argv);
  if (typeof asked === "string") {
    process.stderr.write(visible(`${asked}\n\n${USAGE}`));
    return 2;
  }
  if (asked.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const startedMs = performance.now();
  try {
    if (asked.proof !== null) return sayBlame(verifyBlame(asked.proof, asked), asked);
    const verdict = verifyBundle(asked.bundle, asked);
    const seconds = Number(((performance.now() - startedMs) / 1000).toFixed(3));
    const trust = asked.key === null ? "the bundle's own key" : "the given key";
    const { origin, size, root, streams, erased, blobs } = verdict;
    print(
      asked.json ? { ...verdict, trust: asked.key === null ? "bundle" : "given", seconds } : null,
      `ok: ${size} events of ${oneLine(origin)} in ${streams} streams (${erased} erased, ${blobs} blobs), root ${root},\n` +
        `signed by ${trust} ${oneLine(verdict.key)}, verified in ${seconds} s\n`,
    );
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof BundleFault)) {
      // A bug; its message may quote the bundle.
      process.stderr.write(visible(`${thrown instanceof Error ? thrown.stack : thrown}\n`));
      return 1;
    }
    print(asked.json ? { ok: false, problem: { ...thrown.place, why: thrown.why } } : null, describe(thrown));
    return 1;
  }
}

/**
 * @param {import("./verify-blame.js").BlameVerdict} verdict
 * @param {{ json: boolean, key: unknown, file: string | null }} asked
 */
function sayBlame(verdict, { json, key, file }) {
  const trust = key === null ? "the proof's own key" : "the given key";
  const runs = verdict.runs.map(
    ({ lines, session, turn, agent, model, approver }) =>
      `  ${lines}: ${oneLine(agent)}${model === null ? "" : ` with ${oneLine(model)}`}, session ${oneLine(session)}, turn ${oneLine(turn)}` +
      `${approver === null ? "" : `, approved by ${oneLine(approver)}`}\n`,
  );
  const place = file === null ? " (no file was given to compare them with)" : " of the given file";
  print(
    json ? { ...verdict, trust: key === null ? "proof" : "given" } : null,
    `ok: ${verdict.lines} lines${place}, signed by ${trust} ${oneLine(verdict.key)}\n${runs.join("")}`,
  );
  return 0;
}

/** @param {string[]} argv */
function parse(argv) {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        key: { type: "string" },
        checkpoint: { type: "string", multiple: true },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    const none = { proof: null, file: null };
    const asked = { bundle: "", key: null, older: [], json: values.json === true, help: values.help === true, ...none };
    if (asked.help) return asked;
    // A bundle that is called so is given as `./blame`.
    if (positionals[0] === "blame") return parseBlame(asked, positionals.slice(1), values);
    const [bundle, ...rest] = positionals;
    if (bundle === undefined || rest.length > 0) return "one bundle, please";
    if (!existsSync(bundle)) return `there is nothing at ${bundle}`;
    const key = givenKey(values.key);
    if (typeof key === "string") return key;
    const older = [];
    for (const path of values.checkpoint ?? []) {
      const checkpoint = existsSync(path) ? parseCheckpoint(readFileSync(path, "utf8")) : null;
      if (checkpoint === null) return `${path} is no file with a checkpoint`;
      older.push(checkpoint);
    }
    return { ...asked, bundle, key, older };
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/**
 * @template {object} T
 * @param {T} asked
 * @param {readonly string[]} positionals
 * @param {{ readonly key?: string | undefined, readonly checkpoint?: readonly string[] | undefined }} values
 */
function parseBlame(asked, [proof, file, ...rest], values) {
  if (proof === undefined || rest.length > 0) return "one proof and one file at most, please";
  if (values.checkpoint !== undefined) return "a proof of lines is not compared with a checkpoint";
  for (const path of [proof, ...(file === undefined ? [] : [file])])
    if (!existsSync(path)) return `there is nothing at ${path}`;
  const key = givenKey(values.key);
  return typeof key === "string" ? key : { ...asked, key, proof, file: file ?? null };
}

/**
 * @param {string | undefined} given
 * @returns {import("./note.js").Key | null | string} Text: what is wrong with it.
 */
function givenKey(given) {
  if (given === undefined) return null;
  return parseKey(fileOrText(given)) ?? `${given} is no verifier key, and no file that holds one`;
}

/** @param {string} given */
function fileOrText(given) {
  return existsSync(given) ? readFileSync(given, "utf8") : given;
}

/** @param {BundleFault} fault */
function describe({ why, place }) {
  const { line, seq, stream, version, file } = place;
  const event = [
    line === undefined ? null : `line ${line}`,
    seq == null ? null : `seq ${seq}`,
    stream == null ? null : `stream ${JSON.stringify(stream)}`,
    version == null ? null : `version ${version}`,
    file === undefined ? null : oneLine(file),
  ].filter((part) => part !== null);
  return `NOT OK: ${event.length === 0 ? "" : `${event.join(", ")}: `}${oneLine(why)}\n`;
}

/**
 * Names in a bundle are its maker's: a line break would begin a verdict of theirs.
 *
 * @param {string} text
 */
function oneLine(text) {
  return text.replaceAll("\n", "\\u000a");
}

/**
 * What steers a terminal or cannot be seen is spelled out, so that no bundle rewrites its own verdict.
 *
 * @param {string} text
 */
function visible(text) {
  return text.replace(HIDDEN, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}

/**
 * @param {object | null} json
 * @param {string} text
 */
function print(json, text) {
  process.stdout.write(visible(json === null ? text : `${JSON.stringify(json)}\n`));
}
