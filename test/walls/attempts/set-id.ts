import { type AttemptGroup, python, sh } from "../attempt.ts";
import { c } from "./python-calls.ts";

const TOLD = `[ -u x ] || [ -g x ] && echo ESCAPED`;
const SEEN = `print("ESCAPED" if os.stat("x").st_mode & 0o6000 else "plain")`;

/** A set-id program runs as its owner, whoever starts it, and outlives the session. */
export const SET_ID: AttemptGroup = {
  id: "setid",
  title: "Programs for others to become the person by",
  attempts: [
    sh("chmod", "a set-user-id program", "says", `cp /bin/sh x; chmod 4755 x; ${TOLD}`),
    sh("chmod-group", "a set-group-id program", "says", `cp /bin/sh x; chmod g+s x; ${TOLD}`),
    sh("install", "a set-id program by `install`", "says", `install -m 6755 /bin/sh x; ${TOLD}`),
    sh(
      "tar",
      "a set-id program unpacked by tar",
      "says",
      `"$PYTHON" -c "
import io, tarfile
with tarfile.open('x.tar', 'w') as tar:
    one = tarfile.TarInfo('x'); one.mode = 0o4755; tar.addfile(one, io.BytesIO())"
tar -xpf x.tar; ${TOLD}`,
    ),
    sh(
      "temp",
      "a set-id program in the temp directory",
      "says",
      `d=$(mktemp -d); cd "$d"; cp /bin/sh x; chmod 4755 x; ${TOLD}; rm x`,
    ),
    python(
      "fchmod",
      "by an open file",
      "says",
      `import os\nos.fchmod(os.open("x", os.O_CREAT | os.O_RDWR), 0o4755); ${SEEN}`,
    ),
    python(
      "open",
      "a set-id program created by `open`",
      "says",
      `import os\nos.close(os.open("x", os.O_CREAT | os.O_WRONLY, 0o4755)); ${SEEN}`,
    ),
    python(
      "tmpfile",
      "born without a name",
      "says",
      c(`
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o4755)
libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, b"x", 0x400); ${SEEN}`),
    ),
    python("creat", "a set-id program by the old call `creat`", "says", c(`libc.creat(b"x", 0o6755); ${SEEN}`)),
    python(
      "mknod",
      "a set-id program by `mknod`",
      "says",
      `import os, stat\nos.mknod("x", stat.S_IFREG | 0o4755); ${SEEN}`,
    ),
    python(
      "openat2",
      "with the mode in memory",
      "says",
      c(`libc.syscall(437, -100, b"x", struct.pack("<QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24); ${SEEN}`),
    ),
    python(
      "wide",
      "with more bits than a mode has",
      "says",
      c(`open("x", "w"); call(268, 53, -100, b"x", -1 << 32 | 0o4755); ${SEEN}`),
    ),
  ],
};
