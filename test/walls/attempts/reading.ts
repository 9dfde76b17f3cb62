import { type AttemptGroup, node, python, ROOT, sh } from "../attempt.ts";

export const READING: AttemptGroup = {
  id: "read",
  title: "Reading files outside",
  attempts: [
    sh("absolute", "by its path", "secret", `cat "$S"`),
    sh("dots", "by `..` from the working directory", "secret", `cat "../../../outside/secret"`),
    sh("slashes", "by a path with `//` and `/./`", "secret", `cat "/.$(dirname "$S")//.///secret"`),
    sh("link", "by a symbolic link to the file", "secret", `ln -s "$S" link; cat link`),
    sh("link-directory", "by a symbolic link to its directory", "secret", `ln -s "$D" way; cat way/secret`),
    sh(
      "link-chain",
      "by a chain of links, the first of them relative",
      "secret",
      `ln -s ../../../outside a; ln -s a b; ln -s b c; cat c/secret`,
    ),
    sh("link-temp", "by a link in the temp directory", "secret", `ln -s "$S" "/tmp/$P"; cat "/tmp/$P"; rm "/tmp/$P"`),
    sh("hard-link", "by a hard link", "secret", `ln "$S" hard && cat hard`),
    sh("copy", "by a copy of the whole directory", "secret", `cp -r "$D" copy; cat copy/secret`),
    sh("tar", "by an archive of it", "secret", `tar cf - -C "$D" secret | cat`),
    sh("find", "by searching all parent directories", "secret", `find "$ROOT" -name secret -exec cat {} +`),
    sh("source", "by running it, because the error quotes it", "secret", `. "$S"`),
    sh("grep", "by searching all neighbouring directories", "secret", `grep -rh secret- ../../../outside`),
    sh("cd", "by going there first", "secret", `cd "$D" && cat secret`),
    sh("descriptor", "by a file descriptor of the shell", "secret", `exec 7<"$S"; cat <&7`),
    sh(
      "move-in",
      "by moving it into the working directory",
      "secret",
      `cp "$S" kept; mv kept "$D/moved.$P" && mv "$D/moved.$P" mine && cat mine`,
    ),
    python(
      "openat",
      "upwards from a descriptor of the working directory",
      "secret",
      `
import os
fd = os.open(".", os.O_RDONLY)
for n in range(40):
    up = os.open("..", os.O_RDONLY, dir_fd=fd); os.close(fd); fd = up
print(os.read(os.open(os.environ["S"].lstrip("/"), os.O_RDONLY, dir_fd=fd), 999))`,
    ),
    python(
      "mmap",
      "by mapping it",
      "secret",
      `
import mmap, os
print(mmap.mmap(os.open(os.environ["S"], os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])`,
    ),
    python(
      "sendfile",
      "by letting the kernel copy it",
      "secret",
      `
import os
out = os.open("got", os.O_RDWR | os.O_CREAT)
os.sendfile(out, os.open(os.environ["S"], os.O_RDONLY), 0, 999)
print(open("got").read())`,
    ),
    python(
      "copy-range",
      "by copy_file_range",
      "secret",
      `
import os
out = os.open("got", os.O_RDWR | os.O_CREAT)
os.copy_file_range(os.open(os.environ["S"], os.O_RDONLY), out, 999)
print(open("got").read())`,
    ),
    python(
      "path-only",
      "by a descriptor that only names it, and /proc",
      "secret",
      `
import os
fd = os.open(os.environ["S"], os.O_PATH)
print(open(f"/proc/self/fd/{fd}").read())`,
    ),
    python(
      "handle",
      "by a file handle that was made outside",
      "secret",
      `
import ctypes, os
kind, data = os.environ["HANDLE"].split(":")
data = bytes.fromhex(data)
class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]
handle = Handle(len(data), int(kind), (ctypes.c_ubyte * 128)(*data))
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.open_by_handle_at(os.open(".", os.O_RDONLY), ctypes.byref(handle), os.O_RDONLY)
print(os.read(fd, 999) if fd >= 0 else os.strerror(ctypes.get_errno()))`,
      ROOT,
    ),
    python(
      "inotify",
      "by watching what happens to it",
      "says",
      `
import ctypes, os
libc = ctypes.CDLL(None)
if libc.inotify_add_watch(libc.inotify_init(), os.environ["S"].encode(), 0xfff) >= 0: print("ESCAPED")`,
    ),
    python(
      "listing",
      "the names of what lies beside the working directory",
      "says",
      `
import os
if "secret" in os.listdir(os.environ["D"]): print("ESCAPED")`,
    ),
    python(
      "stat",
      "whether it is there, and how large",
      "says",
      `
import os
if os.stat(os.environ["S"]).st_size > 9: print("ESCAPED")`,
    ),
    node("read", "by Node", "secret", `console.log(require("node:fs").readFileSync(process.env.S, "utf8"));`),
    node(
      "cp",
      "by a recursive copy of Node's",
      "secret",
      `
const fs = require("node:fs");
fs.cpSync(process.env.D + "/secret", "./got", { recursive: true, dereference: true });
console.log(fs.readFileSync("got", "utf8"));`,
    ),
    node(
      "worker",
      "by a worker thread",
      "secret",
      `
new (require("node:worker_threads").Worker)('console.log(require("node:fs").readFileSync(process.env.S, "utf8"))', { eval: true });`,
    ),
    node(
      "import",
      "by importing it as a module",
      "secret",
      `
import("node:url").then(({ pathToFileURL }) => import(pathToFileURL(process.env.D + "/module.mjs"))).then(({ default: found }) => console.log(found));`,
    ),
    node(
      "child",
      "by a child with another working directory",
      "secret",
      `
console.log(String(require("node:child_process").execSync("cat secret", { cwd: process.env.D })));`,
    ),
  ],
};

export const PEOPLE: AttemptGroup = {
  id: "people",
  title: "What belongs to the person and to other sessions",
  attempts: [
    sh("ssh-key", "an SSH key", "secret", `cat "$PERSON/.ssh/id_ed25519"`),
    sh("cloud-key", "credentials of a cloud", "secret", `cat "$PERSON/.aws/credentials"`),
    sh("netrc", "passwords for hosts", "secret", `HOME="$PERSON"; cat ~/.netrc`),
    sh("history", "the shell history", "secret", `cat "$PERSON/.bash_history"`),
    sh(
      "forge-token",
      "the token of a forge",
      "secret",
      `cat "\${XDG_CONFIG_HOME:-$PERSON/.config}/gh/hosts.yml" || cat "$PERSON/.config/gh/hosts.yml"`,
    ),
    sh("agent-login", "the login of another agent", "secret", `cat "$PERSON/.claude/.credentials.json"`),
    sh(
      "git-credentials",
      "stored passwords, asked for by git",
      "secret",
      `
printf 'protocol=https\\nhost=forge.test\\n' | git credential-store --file "$PERSON/.git-credentials" get`,
    ),
    sh(
      "tilde",
      "all homes that the system knows of",
      "secret",
      `
for home in $(cut -d: -f6 /etc/passwd) "$PERSON"; do cat "$home/.netrc"; done`,
    ),
    sh(
      "shadow",
      "the system's passwords",
      "says",
      `[ -s /etc/shadow ] && head -c 1 /etc/shadow >/dev/null && echo ESCAPED`,
      ROOT,
    ),
    sh(
      "closed-files",
      "whatever below /etc not everybody may read",
      "says",
      `
find /etc -xdev -type f ! -perm -004 2>/dev/null | while read -r file; do head -c 1 "$file" | grep -q . && echo "ESCAPED $file"; done`,
      ROOT,
    ),
    sh("other-workspace", "a file in another session's workspace", "secret", `cat "$OTHER/secret"`),
    sh(
      "other-git",
      "the history of another session's repository",
      "secret",
      `git -c safe.directory='*' -C "$OTHER" log --format=%B`,
    ),
    sh(
      "other-transcript",
      "the log of all sessions",
      "secret",
      `cat "$NOMOS"/log.db* | tr -c '[:print:]' '\\n' | grep secret-`,
    ),
    sh(
      "home-below",
      "any file of the product's home that has it",
      "secret",
      `grep -rah secret- "$NOMOS" | tr -c '[:print:]' '\\n'`,
    ),
    sh(
      "product-home",
      "what the daemon notes about itself in its home",
      "says",
      `[ -e "$NOMOS/daemon.json" ] && echo ESCAPED`,
    ),
    python(
      "temp",
      "what others have in the system's temp directory",
      "secret",
      `
import glob
for path in glob.glob("/tmp/nomos-decoy-*") + glob.glob("/var/tmp/nomos-decoy-*"): print(open(path).read())`,
    ),
    python(
      "shared-memory",
      "files in shared memory",
      "secret",
      `
import glob
for path in glob.glob("/dev/shm/nomos-decoy-*"): print(open(path).read())`,
    ),
  ],
};
