#!/usr/bin/env node
// Plain JavaScript that Node 12 can still parse, so that an old Node gets a sentence and not a syntax error.
import childProcess from "child_process";
import fs from "fs";
import module from "module";
import os from "os";
import path from "path";
import tty from "tty";
import url from "url";

const NODE_MAJOR_MIN = 24;
const EXIT_FAILED = 1;
const EXIT_UNAVAILABLE = 6;

const packageRoot = path.resolve(path.dirname(url.fileURLToPath(import.meta.url)), "..");

if (majorOf(process.versions.node) >= NODE_MAJOR_MIN) start();
else startWithPinnedNode();

function start() {
  hideExperimentalWarnings();
  keepCompiledCode();
  import(url.pathToFileURL(entryFile()).href)
    .then((cli) => cli.main(process.argv.slice(2)))
    .then((exitCode) => {
      process.exitCode = exitCode;
    })
    .catch((bug) => {
      // What was expected to fail has become an exit code: this is a bug, and it ends the process with its stack.
      setImmediate(() => {
        throw bug;
      });
    });
}

/**
 * The bundle where the package is installed (Node strips no types below node_modules). In a checkout the sources, or the
 * bundle while it is what they would make: it starts much faster.
 */
function entryFile() {
  const bundle = path.join(packageRoot, "dist", "cli.js");
  const source = path.join(packageRoot, "src", "cli", "main.ts");
  const installed = packageRoot.split(path.sep).indexOf("node_modules") >= 0;
  return installed || !fs.existsSync(source) || isBuiltFromSources() ? bundle : source;
}

/** True while every file that dist/ was made from is unchanged. An added file counts when a listed one imports it. */
function isBuiltFromSources() {
  const list = path.join(packageRoot, "dist", "built-from.json");
  try {
    return JSON.parse(fs.readFileSync(list, "utf8")).files.every(([name, size, mtimeMs]) => {
      const found = fs.statSync(path.join(packageRoot, name), { throwIfNoEntry: false });
      return found !== undefined && found.size === size && found.mtimeMs === mtimeMs;
    });
  } catch {
    // No list, or one that a crash cut short: the sources are always right.
    return false;
  }
}

/**
 * The first releases of Node 24 call type stripping and node:sqlite experimental on every start. This covers this process
 * and its forks; a worker thread needs `execArgv: ["--disable-warning=ExperimentalWarning"]` of its own there.
 */
function hideExperimentalWarnings() {
  process.execArgv.push("--disable-warning=ExperimentalWarning");
  const printers = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name === "ExperimentalWarning") return;
    for (const print of printers) print(warning);
  });
}

/**
 * Compiled code is kept in the Nomos home and not in Node's default below the temporary folder: what is read from there
 * is run, and an agent can write to the temporary folder but not to the home. No home yet, nothing kept.
 */
function keepCompiledCode() {
  const home = process.env.NOMOS_HOME || path.join(os.homedir(), ".nomos");
  if (fs.existsSync(home)) module.enableCompileCache(path.join(home, "cache", "compiled"));
}

function startWithPinnedNode() {
  const pinned = [path.join(packageRoot, "node_modules", ".bin", "node"), path.join(packageRoot, "..", ".bin", "node")];
  const node = pinned.find(isNewEnough);
  if (node) runIn(node);
  else {
    console.error(
      `nomos needs Node ${NODE_MAJOR_MIN} or newer and was started by Node ${process.versions.node}: install it from nodejs.org (in a checkout, \`npm ci\` brings it).`,
    );
    process.exitCode = EXIT_UNAVAILABLE;
  }
}

function isNewEnough(node) {
  if (!fs.existsSync(node)) return false;
  const answer = childProcess.spawnSync(node, ["--version"], { encoding: "utf8" });
  return answer.status === 0 && majorOf(answer.stdout.trim().slice(1)) >= NODE_MAJOR_MIN;
}

function runIn(node) {
  const child = childProcess.spawn(node, process.argv.slice(1), { stdio: "inherit" });
  // A terminal sends these to the whole foreground group: the child has its own copy already, a second would force it.
  const fromTerminal = ["SIGINT", "SIGQUIT", "SIGHUP"];
  const signals = fromTerminal.concat("SIGTERM", "SIGUSR2");
  const hasTerminal = tty.isatty(0);
  signals.forEach((signal) => {
    process.on(signal, () => {
      if (!hasTerminal || fromTerminal.indexOf(signal) < 0) child.kill(signal);
    });
  });
  child.on("error", (error) => {
    console.error(`nomos could not start ${node}: ${error.message}`);
    process.exitCode = EXIT_UNAVAILABLE;
  });
  child.on("exit", (exitCode, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
    process.exitCode = exitCode === null ? EXIT_FAILED : exitCode;
  });
}

function majorOf(version) {
  return Number(version.split(".")[0]);
}
