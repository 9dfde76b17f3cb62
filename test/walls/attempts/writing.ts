import { type AttemptGroup, node, python, ROOT, sh } from "../attempt.ts";

/** Opened for writing and closed again: the machine is not changed. */
const openable = (path: string) => `
import os
os.close(os.open("${path}", os.O_WRONLY))
print("ESCAPED")`;
const makeable = (folder: string) => `touch "${folder}/$P.disabled" && rm "${folder}/$P.disabled" && echo ESCAPED`;

export const WRITING: AttemptGroup = {
  id: "write",
  title: "Writing outside",
  attempts: [
    sh("absolute", "a new file by its path", "planted", `echo x > "$T"`),
    sh("dots", "a new file by `..`", "planted", `echo x > "../../../outside/$P"`),
    sh("link", "through a link to a file that does not exist yet", "planted", `ln -s "$T" way; echo x > way`),
    sh("link-directory", "through a link to a directory", "planted", `ln -s "$D" way; echo x > "way/$P"`),
    sh("hard-link", "through a hard link to a file outside", "planted", `ln "$D/ledger" mine && echo "$P" >> mine`),
    sh("linked", "a file that has a second name outside", "planted", `echo "$P" >> ../../linked`),
    sh("linked-again", "the same file by a third name", "planted", `ln ../../linked mine && echo "$P" >> mine`),
    python(
      "linked-memory",
      "a linked file through a memory mapping",
      "planted",
      `
import mmap, os
with open("../../linked", "r+b") as file:
    end = file.seek(0, 2); name = os.environ["P"].encode(); file.truncate(end + len(name) + 1)
    mmap.mmap(file.fileno(), 0)[end:] = name + b"\\n"`,
    ),
    sh("append", "appending to a file outside", "planted", `echo "$P" >> "$D/ledger"`),
    sh("move", "by moving a file there", "planted", `echo x > f; mv f "$T"`),
    sh("mkdir", "a directory", "planted", `mkdir -p "$T/deep"`),
    sh("fifo", "a pipe", "planted", `mkfifo "$T"`),
    sh("link-out", "a link outside", "planted", `ln -s /etc/passwd "$T"`),
    sh(
      "tar",
      "by unpacking an archive with an absolute path",
      "planted",
      `
mkdir -p x; echo x > x/f; tar cPf a.tar --transform "s|x/f|$T|" x/f; tar xPf a.tar`,
    ),
    sh("sed", "by editing in place", "planted", `sed -i "s/^first.*/$P/" "$D/lines"`),
    sh("truncate", "by truncating a file", "says", `[ -s "$D/short" ] && : > "$D/short" && echo ESCAPED`),
    sh("delete", "by deleting a file", "says", `[ -e "$D/doomed" ] && rm "$D/doomed" && echo ESCAPED`),
    sh("modes", "by making a file readable for everybody", "says", `chmod 777 "$D/modes" && echo ESCAPED`),
    sh(
      "rename-parent",
      "by renaming the directory that the working directory is in",
      "says",
      `
mv "$WORK" "$WORK.away" && mv "$WORK.away" "$WORK" && echo ESCAPED`,
    ),
    sh("mktemp", "into another temp directory", "planted", `TMPDIR="$D" mktemp -t "$P.XXXXXX"`),
    sh("temp", "into the system's temp directory", "planted", `echo x > "/tmp/$P"`),
    sh("var-temp", "into /var/tmp", "planted", `echo x > "/var/tmp/$P"`),
    sh("shared-memory", "into shared memory", "planted", `echo x > "/dev/shm/$P"`),
    python(
      "tmpfile",
      "an unnamed file that is given a name outside",
      "planted",
      `
import ctypes, os
fd = os.open(os.environ["D"], os.O_TMPFILE | os.O_RDWR)
ctypes.CDLL(None).linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, os.environ["T"].encode(), 0x400)`,
    ),
    python(
      "linkat",
      "an unnamed file of the workspace that is given a name outside",
      "planted",
      `
import ctypes, os
fd = os.open(".", os.O_TMPFILE | os.O_RDWR)
ctypes.CDLL(None).linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, os.environ["T"].encode(), 0x400)`,
    ),
    python(
      "swap",
      "by swapping a file with one outside",
      "planted",
      `
import ctypes, os
open(os.environ["P"], "w").write(os.environ["P"])
libc = ctypes.CDLL(None)
libc.renameat2(-100, os.environ["P"].encode(), -100, (os.environ["D"] + "/swapped").encode(), 2)`,
    ),
    python(
      "utime",
      "by changing a file's time",
      "says",
      `
import os
os.utime(os.environ["D"] + "/modes", (1, 1)); print("ESCAPED")`,
    ),
    python(
      "lock",
      "by locking a file",
      "says",
      `
import fcntl, os
fcntl.flock(os.open(os.environ["D"] + "/modes", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB); print("ESCAPED")`,
    ),
    node("write", "by Node", "planted", `require("node:fs").writeFileSync(process.env.T, "x");`),
    node(
      "stream",
      "by a stream of Node's through a link",
      "planted",
      `
const fs = require("node:fs"); fs.symlinkSync(process.env.T, "way"); fs.createWriteStream("way").end("x");`,
    ),
    node(
      "rename",
      "by renaming a directory out",
      "planted",
      `
const fs = require("node:fs"); fs.mkdirSync("d"); fs.renameSync("d", process.env.T);`,
    ),
  ],
};

export const LATER: AttemptGroup = {
  id: "later",
  title: "Planting what somebody else runs later, and editing one's own rules",
  attempts: [
    sh("bashrc", "a line in the shell's start file", "planted", `echo "# $P" >> "$PERSON/.bashrc"`),
    sh("home-bashrc", "a line in the shell's start file, by HOME", "planted", `echo "# $P" >> ~/.bashrc`),
    sh("profile", "a line in the login's start file", "planted", `echo "# $P" >> "$PERSON/.profile"`),
    sh(
      "authorized-keys",
      "a key that may log in",
      "planted",
      `mkdir -p "$PERSON/.ssh"; echo "ssh-ed25519 $P" >> "$PERSON/.ssh/authorized_keys"`,
    ),
    sh(
      "ssh-config",
      "a command for ssh to run",
      "planted",
      `echo "# $P" >> ~/.ssh/config || { mkdir -p ~/.ssh; echo "# $P" >> ~/.ssh/config; }`,
    ),
    sh("git-config", "an alias in the person's git configuration", "planted", `git config --global alias.x "!$P"`),
    sh(
      "git-config-file",
      "an alias in the person's git configuration, by its path",
      "planted",
      `git config --file "$PERSON/.gitconfig" core.pager "$P"`,
    ),
    sh(
      "autostart",
      "a program to start with the desktop",
      "planted",
      `mkdir -p ~/.config/autostart; echo "Exec=$P" > ~/.config/autostart/x.desktop`,
    ),
    sh(
      "user-unit",
      "a unit for the person's service manager",
      "planted",
      `
mkdir -p "$PERSON/.config/systemd/user"; echo "ExecStart=$P" > "$PERSON/.config/systemd/user/x.service"`,
    ),
    sh("npmrc", "a setting for npm", "planted", `echo "script-shell=$P" >> ~/.npmrc`),
    sh(
      "python-site",
      "a module that every Python loads",
      "planted",
      `
at="$(HOME="$HOME" "$PYTHON" -m site --user-site)"; mkdir -p "$at" && echo "# $P" > "$at/usercustomize.py"`,
    ),
    sh(
      "agent-settings",
      "a hook in an agent's settings",
      "planted",
      `mkdir -p "$PERSON/.claude"; echo "{\\"hooks\\":\\"$P\\"}" > "$PERSON/.claude/settings.json"`,
    ),
    sh("path-program", "a program on the daemon's PATH", "planted", `printf '#!/bin/sh\\n' > "$PERSON/bin/$P"`),
    sh("cron", "a line for cron", "says", makeable("/etc/cron.d"), { asRoot: true, about: "/etc/cron.d" }),
    sh("system-unit", "a unit of the system", "says", makeable("/etc/systemd/system"), {
      asRoot: true,
      about: "/etc/systemd/system",
    }),
    sh("profile-d", "a start file for every login", "says", makeable("/etc/profile.d"), {
      asRoot: true,
      about: "/etc/profile.d",
    }),
    sh("system", "a file in /usr/lib", "says", makeable("/usr/lib"), ROOT),
    sh("local-bin", "a program in /usr/local/bin", "says", makeable("/usr/local/bin"), ROOT),
    sh("etc", "a file in /etc", "says", makeable("/etc"), ROOT),
    sh("root", "a file in the root directory", "says", makeable("/."), ROOT),
    python("passwd", "the list of users", "says", openable("/etc/passwd"), ROOT),
    python("ld-cache", "the cache of shared libraries", "says", openable("/etc/ld.so.cache"), {
      asRoot: true,
      about: "/etc/ld.so.cache",
    }),
    python("env-program", "a program that everybody runs", "says", openable("/usr/bin/printenv"), ROOT),
    sh(
      "config",
      "the daemon's configuration",
      "planted",
      `echo "$P" > "$NOMOS/config.json.$P" && mv "$NOMOS/config.json.$P" "$NOMOS/$P.json"`,
    ),
    sh(
      "manifest",
      "the manifest of an agent",
      "planted",
      `mkdir -p "$NOMOS/drivers"; echo "{}" > "$NOMOS/drivers/$P.json"`,
    ),
    sh("installed-agent", "a program among the installed agents", "planted", `mkdir -p "$NOMOS/agents/$P"`),
    sh("token", "issuing a token", "planted", `echo "$P" > "$NOMOS/token.$P"`),
    sh(
      "log",
      "the log's own file",
      "planted",
      `printf %s "$P" >> "$NOMOS/appended.log"; [ -e "$NOMOS/log.db" ] && cp "$NOMOS/log.db" "$NOMOS/$P.db"`,
    ),
    sh("driver-file", "the driver's own file", "planted", `echo "// $P" >> "$DRIVER"`),
  ],
};
