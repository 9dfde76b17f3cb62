import { type AttemptGroup, python, ROOT, sh } from "../attempt.ts";
import { about, opens, opensAny } from "./opening.ts";

export const SYS: AttemptGroup = {
  id: "sys",
  title: "/sys, cgroups and devices",
  attempts: [
    python(
      "read",
      "a description of the machine's hardware",
      "says",
      `
import os
print("ESCAPED" if os.listdir("/sys/devices") else "empty")`,
    ),
    python(
      "uevent-helper",
      "the program that the kernel runs for new devices",
      "says",
      opens("/sys/kernel/uevent_helper"),
      about("/sys/kernel/uevent_helper"),
    ),
    python("power", "putting the machine to sleep", "says", opens("/sys/power/state"), about("/sys/power/state")),
    python("any", "any memory setting below /sys", "says", opensAny("/sys/kernel/mm/*/*"), about("/sys/kernel/mm")),
    python(
      "module-parameters",
      "parameters of modules",
      "says",
      opensAny("/sys/module/*/parameters/*"),
      about("/sys/module"),
    ),
    python("block", "settings of the disk", "says", opensAny("/sys/block/*/queue/*"), about("/sys/block")),
    python(
      "release-agent",
      "the program that a control group calls",
      "says",
      opensAny("/sys/fs/cgroup/*/release_agent"),
      about("/sys/fs/cgroup/devices"),
    ),
    python(
      "cgroup-procs",
      "moving itself into another control group",
      "says",
      `
import glob, os
for path in glob.glob("/sys/fs/cgroup/cgroup.procs") + glob.glob("/sys/fs/cgroup/*/cgroup.procs"):
    try: os.close(os.open(path, os.O_WRONLY)); print("ESCAPED", path); break
    except OSError as e: print(path, e)`,
      about("/sys/fs/cgroup"),
    ),
    sh(
      "cgroup-mount",
      "control groups mounted anew",
      "says",
      `
mkdir c; for kind in cgroup2 "cgroup -o pids"; do mount -t $kind none c && umount c && echo ESCAPED && break; done`,
      ROOT,
    ),
    sh(
      "debugfs",
      "the kernel's own debugging",
      "says",
      `mkdir d; mount -t debugfs none d && umount d && echo ESCAPED`,
      ROOT,
    ),
    sh(
      "sysfs-mount",
      "mounting /sys again",
      "says",
      `mkdir d; mount -t sysfs none d && umount d && echo ESCAPED`,
      ROOT,
    ),
    sh("disk-node", "a device file for the disk", "says", `mknod d b 7 0 && echo ESCAPED`, ROOT),
    sh("memory-node", "a device file for memory", "says", `mknod d c 1 1 && echo ESCAPED`, ROOT),
    python(
      "disk",
      "the disk itself",
      "says",
      `
import glob, os
for path in glob.glob("/dev/[svx]d[a-z]*") + glob.glob("/dev/nvme*n*") + glob.glob("/dev/loop[0-9]") + glob.glob("/dev/zram*"):
    try: os.close(os.open(path, os.O_RDONLY)); print("ESCAPED", path); break
    except OSError as e: print(path, e)`,
      ROOT,
    ),
    python("loop", "a loop device", "says", opens("/dev/loop-control"), about("/dev/loop-control")),
    python("kvm", "a virtual machine", "says", opens("/dev/kvm"), about("/dev/kvm")),
    python("fuse", "a FUSE file system", "says", opens("/dev/fuse"), about("/dev/fuse")),
    python("tun", "a TUN network device", "says", opens("/dev/net/tun"), about("/dev/net/tun")),
    python("kernel-log", "writing to the kernel log", "says", opens("/dev/kmsg"), about("/dev/kmsg")),
    python("console", "the console", "says", opens("/dev/tty1"), about("/dev/tty1")),
    python("screen", "reading the console's screen", "says", opens("/dev/vcs1", "O_RDONLY"), about("/dev/vcs1")),
    sh("terminal", "writing to another user's terminal", "planted", `echo "$P" > "$TERMINAL"`),
    python(
      "vsock",
      "the machine that this machine runs on",
      "says",
      opens("/dev/vsock", "O_RDONLY"),
      about("/dev/vsock"),
    ),
    python(
      "userfault",
      "handling page faults by a device",
      "says",
      opens("/dev/userfaultfd"),
      about("/dev/userfaultfd"),
    ),
    python(
      "type-ahead",
      "typing into a terminal",
      "says",
      `
import fcntl, os, pty, termios
pid, fd = pty.fork()
if pid == 0:
    try: fcntl.ioctl(0, termios.TIOCSTI, b"x"); os.write(1, b"\\nESCAPED")
    except OSError as e: os.write(1, str(e).encode())
    os._exit(0)
out = b""
try:
    while True: out += os.read(fd, 99)
except OSError: print(out.decode())`,
    ),
  ],
};
