import { type AttemptGroup, python, ROOT, sh } from "../attempt.ts";
import { c, inChild } from "./python-calls.ts";

const NAMESPACES = [
  ["user", 0x1000_0000],
  ["mnt", 0x0002_0000],
  ["pid", 0x2000_0000],
  ["net", 0x4000_0000],
  ["ipc", 0x0800_0000],
  ["uts", 0x0400_0000],
  ["cgroup", 0x0200_0000],
] as const;

export const NAMES: AttemptGroup = {
  id: "names",
  title: "Mounts and namespaces",
  attempts: [
    ...NAMESPACES.map(([name, flag]) =>
      python(`unshare-${name}`, `a new ${name} namespace`, "says", inChild(`got(libc.unshare(${flag}))`), ROOT),
    ),
    python("unshare-time", "a new time namespace", "says", inChild("got(libc.unshare(0x80))"), ROOT),
    ...NAMESPACES.map(([name, flag]) =>
      python(
        `clone-${name}`,
        `a child in a new ${name} namespace`,
        "says",
        c(`
pid = call(56, 220, ${flag} | 17, 0, 0, 0, 0)
if pid == 0: os._exit(0)
got(pid)`),
        ROOT,
      ),
    ),
    python(
      "clone3",
      "a new namespace by clone3, whose flags a filter cannot see",
      "says",
      c(`
args = struct.pack("8Q", 0x10000000 | 0x20000, 0, 0, 0, 17, 0, 0, 0)
pid = call(435, 435, ctypes.c_char_p(args), 64)
if pid == 0: os._exit(0)
got(pid)`),
      ROOT,
    ),
    ...(["mnt", "pid", "net", "ipc", "uts", "cgroup"] as const).map((name) =>
      python(
        `enter-${name}`,
        `the ${name} namespace of a process outside`,
        "says",
        inChild(`
    try: got(libc.setns(os.open(f"/proc/{helper}/ns/${name}", os.O_RDONLY), 0))
    except OSError as e: print(e)`),
        ROOT,
      ),
    ),
    python(
      "enter-pidfd",
      "all namespaces of a process outside, by its pidfd",
      "says",
      inChild(`
    fd = call(434, 434, helper, 0); got(libc.setns(fd, 0x20000 | 0x40000000))`),
      ROOT,
    ),
    sh(
      "nsenter",
      "a program in the namespaces outside",
      "secret",
      `nsenter -t "$HELPER" -m cat "$S" || nsenter -t 1 -m cat "$S"`,
      ROOT,
    ),
    sh(
      "mount-tmpfs",
      "a file system in memory",
      "says",
      `mkdir m; mount -t tmpfs none m && umount m && echo ESCAPED`,
      ROOT,
    ),
    sh(
      "mount-bind",
      "a directory outside, here",
      "secret",
      `mkdir m; mount --bind "$D" m && cat m/secret; umount m`,
      ROOT,
    ),
    sh("mount-proc", "mounting /proc again", "says", `mkdir m; mount -t proc none m && umount m && echo ESCAPED`, ROOT),
    sh(
      "mount-overlay",
      "an overlay over the system",
      "says",
      `
mkdir up work m; t=$(mktemp -d); mount -t tmpfs none $t && mkdir $t/u $t/w && mount -t overlay -o lowerdir=/usr,upperdir=$t/u,workdir=$t/w none m && echo ESCAPED; umount m; umount $t`,
      ROOT,
    ),
    sh(
      "mount-devices",
      "all device files",
      "says",
      `mkdir m; mount -t devtmpfs none m && umount m && echo ESCAPED`,
      ROOT,
    ),
    sh(
      "mount-queues",
      "the message queues",
      "says",
      `mkdir m; mount -t mqueue none m && umount m && echo ESCAPED`,
      ROOT,
    ),
    sh(
      "remount",
      "a read-only mount made writable",
      "says",
      `
mount -o remount,rw,bind /usr || { mkdir m; mount --bind m m && mount -o remount,rw,bind m && umount m; } && echo ESCAPED`,
      ROOT,
    ),
    sh(
      "unmount",
      "taking a cover away",
      "says",
      `
umount -l "$NOMOS" || umount -l /proc/sys || { mkdir m; mount -t tmpfs none m && umount -l m; } && echo ESCAPED`,
      ROOT,
    ),
    python(
      "open-tree",
      "a copy of the tree, by the new calls",
      "says",
      c(`got(call(428, 428, -100, ctypes.c_char_p(b"/"), 1))`),
      ROOT,
    ),
    python(
      "fsopen",
      "a file system, by the new calls",
      "says",
      c(`got(call(430, 430, ctypes.c_char_p(b"tmpfs"), 0))`),
      ROOT,
    ),
    python(
      "move-mount",
      "moving a mount, by the new calls",
      "says",
      c(`
fd = call(428, 428, -100, ctypes.c_char_p(b"/"), 1); os.mkdir("m")
got(call(429, 429, fd, ctypes.c_char_p(b""), -100, ctypes.c_char_p(b"m"), 4)); subprocess.run(["umount", "-l", "m"])`),
      ROOT,
    ),
    python(
      "chroot",
      "another root, and out of it by an open directory",
      "secret",
      c(`
os.mkdir("jail"); up = os.open("/", os.O_RDONLY); os.chroot("jail"); os.fchdir(up)
for n in range(40): os.chdir("..")
os.chroot("."); print(open(os.environ["S"]).read())`),
      ROOT,
    ),
    python(
      "pivot-root",
      "another root for all processes",
      "says",
      inChild(`
    libc.unshare(0x20000); libc.mount(b"none", b"/", None, 1 << 14 | 1 << 18, None); os.mkdir("r")
    libc.mount(b"none", b"r", b"tmpfs", 0, None); os.mkdir("r/old"); got(call(155, 41, ctypes.c_char_p(b"r"), ctypes.c_char_p(b"r/old")))`),
      ROOT,
    ),
    sh(
      "bubblewrap",
      "a sandbox in the sandbox, with more in it",
      "says",
      `bwrap --unshare-user --ro-bind / / true && echo ESCAPED`,
    ),
    python(
      "host-name",
      "the name of the machine",
      "says",
      c(`import socket; socket.sethostname(socket.gethostname()); print("ESCAPED")`),
      ROOT,
    ),
  ],
};
