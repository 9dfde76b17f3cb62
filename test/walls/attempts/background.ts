import { type AttemptGroup, node, python, sh } from "../attempt.ts";

/** Ignores SIGTERM, and is found by its name. */
const LOOP = `trap "" TERM HUP INT; while :; do sleep 1; done`;

export const BACKGROUND: AttemptGroup = {
  id: "background",
  title: "Processes that outlive their session",
  attempts: [
    sh("ampersand", "in the background", "lives", `sh -c '${LOOP}' "$P" >/dev/null 2>&1 &`),
    sh("nohup", "in the background, ignoring SIGHUP", "lives", `nohup sh -c '${LOOP}' "$P" >/dev/null 2>&1 &`),
    sh("setsid", "in a new process session", "lives", `setsid sh -c '${LOOP}' "$P" >/dev/null 2>&1 &`),
    sh("unmarked", "with an empty environment", "lives", `env -i setsid sh -c '${LOOP}' "$P" >/dev/null 2>&1 &`),
    sh(
      "orphan",
      "by a parent that ends at once",
      "lives",
      `( ( env -i setsid sh -c '${LOOP}' "$P" >/dev/null 2>&1 & ) & )`,
    ),
    python(
      "twice",
      "forked twice, as daemons do",
      "lives",
      `
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        for fd in range(3): os.open("/dev/null", os.O_RDWR)
        os.execve("/bin/sh", ["sh", "-c", '''${LOOP}''', os.environ["P"]], {})
    os._exit(0)`,
    ),
    python(
      "spawn",
      "by posix_spawn with a group of its own",
      "lives",
      `
import os
null = os.open("/dev/null", os.O_RDWR)
os.posix_spawn("/bin/sh", ["sh", "-c", '''${LOOP}''', os.environ["P"]], {}, setpgroup=0, file_actions=[(os.POSIX_SPAWN_DUP2, null, n) for n in range(3)])`,
    ),
    python(
      "blocked",
      "with all signals blocked",
      "lives",
      `
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
if os.fork() == 0:
    os.setsid(); null = os.open("/dev/null", os.O_RDWR)
    for fd in range(3): os.dup2(null, fd)
    os.execve("/bin/sh", ["sh", "-c", '''${LOOP}''', os.environ["P"]], {})`,
    ),
    python(
      "death-signal",
      "that takes back its death signal",
      "lives",
      `
import ctypes, os
if os.fork() == 0:
    os.setsid(); ctypes.CDLL(None).prctl(1, 0); null = os.open("/dev/null", os.O_RDWR)
    for fd in range(3): os.dup2(null, fd)
    os.execve("/bin/sh", ["sh", "-c", '''${LOOP}''', os.environ["P"]], {})`,
    ),
    python(
      "subreaper",
      "that adopts its own orphans",
      "lives",
      `
import ctypes, os
if os.fork() == 0:
    os.setsid(); ctypes.CDLL(None).prctl(36, 1); null = os.open("/dev/null", os.O_RDWR)
    for fd in range(3): os.dup2(null, fd)
    if os.fork() == 0: os.execve("/bin/sh", ["sh", "-c", '''${LOOP}''', os.environ["P"]], {})
    os.execve("/bin/sh", ["sh", "-c", '''${LOOP}''', os.environ["P"] + "-parent"], {})`,
    ),
    node(
      "detached",
      "detached by Node",
      "lives",
      `
require("node:child_process").spawn("/bin/sh", ["-c", ${JSON.stringify(LOOP)}, process.env.P], { detached: true, stdio: "ignore", env: {} }).unref();`,
    ),
    sh("tmux", "in a detached tmux", "lives", `tmux -L "$P" new-session -d "sh -c '${LOOP}' $P"`),
  ],
};
