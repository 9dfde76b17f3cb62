import { type AttemptGroup, python, ROOT, sh } from "../attempt.ts";
import { about, opens, opensAny, reads } from "./opening.ts";

export const PROC: AttemptGroup = {
  id: "proc",
  title: "/proc",
  attempts: [
    sh("root-of-other", "the root of a process outside", "secret", `cat "/proc/$HELPER/root$S"`),
    sh("root-of-any", "the root of every process", "secret", `for p in /proc/[0-9]*; do cat "$p/root$S"; done`),
    sh("root-of-self", "its own root", "secret", `cat "/proc/self/root$S" "/proc/thread-self/root$S"`),
    sh("root-of-daemon", "the root of the daemon", "secret", `cat "/proc/$DAEMON_PID/root$S" "/proc/1/root$S"`),
    sh(
      "cwd-of-any",
      "the working directories of processes",
      "secret",
      `for p in /proc/[0-9]*; do cat "$p/cwd/secret"; done`,
    ),
    sh("cwd-dots", "its own working directory, and up", "secret", `cat "/proc/self/cwd/../../../outside/secret"`),
    sh("environ", "the environment of a process outside", "secret", `tr '\\0' '\\n' < "/proc/$HELPER/environ"`),
    sh(
      "environ-any",
      "the environment of every process",
      "secret",
      `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep secret-`,
    ),
    sh(
      "cmdline-any",
      "the command lines of other processes",
      "secret",
      `cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep secret-`,
    ),
    sh("descriptors", "the open files of a process outside", "secret", `cat "/proc/$HELPER/fd/$HELPER_FD"`),
    sh(
      "descriptors-any",
      "the open files of any process",
      "secret",
      `
for f in /proc/[0-9]*/fd/*; do case "$(readlink "$f")" in *helper-open*) cat "$f";; esac; done`,
    ),
    sh(
      "map-files",
      "the mapped files of a process outside",
      "secret",
      `cat /proc/$HELPER/map_files/* | tr -c '[:print:]' '\\n' | grep secret-`,
      ROOT,
    ),
    python(
      "memory",
      "the memory of a process outside",
      "secret",
      `
import os
with open(f"/proc/{os.environ['HELPER']}/mem", "rb") as mem:
    mem.seek(int(os.environ["HELPER_ADDRESS"])); print(mem.read(64))`,
    ),
    python(
      "memory-write",
      "writing into the memory of a process outside",
      "victim",
      `
import os
with open(f"/proc/{os.environ['VICTIM']}/mem", "r+b", 0) as mem:
    for line in open(f"/proc/{os.environ['VICTIM']}/maps"):
        at, end = [int(x, 16) for x in line.split()[0].split("-")]
        try:
            if "r-xp" in line: mem.seek(at); mem.write(b"\\xcc" * (end - at))
        except OSError as e: print(line, e)`,
    ),
    sh(
      "oom-score",
      "choosing a process outside to die first",
      "says",
      `cat "/proc/$HELPER/oom_score_adj" > v && cat v > "/proc/$HELPER/oom_score_adj" && echo ESCAPED`,
    ),
    python("core-pattern", "the program that gets core files", "says", opens("/proc/sys/kernel/core_pattern"), ROOT),
    python(
      "modprobe",
      "the program that loads modules",
      "says",
      opens("/proc/sys/kernel/modprobe"),
      about("/proc/sys/kernel/modprobe"),
    ),
    python(
      "hotplug",
      "the program that the kernel runs for new devices",
      "says",
      opens("/proc/sys/kernel/hotplug"),
      about("/proc/sys/kernel/hotplug"),
    ),
    python(
      "binfmt",
      "the program that runs foreign programs",
      "says",
      opens("/proc/sys/fs/binfmt_misc/register"),
      about("/proc/sys/fs/binfmt_misc/register"),
    ),
    python("sysrq", "the kernel's SysRq trigger", "says", opens("/proc/sysrq-trigger"), about("/proc/sysrq-trigger")),
    python("swappiness", "a memory setting of the kernel", "says", opens("/proc/sys/vm/swappiness"), ROOT),
    python(
      "drop-caches",
      "dropping the machine's file cache",
      "says",
      opens("/proc/sys/vm/drop_caches"),
      about("/proc/sys/vm/drop_caches"),
    ),
    python("pid-max", "the limit of processes", "says", opens("/proc/sys/kernel/pid_max"), ROOT),
    python("settings-any", "any setting of the kernel", "says", opensAny("/proc/sys/*/*"), ROOT),
    python("irq", "the interrupt settings", "says", opensAny("/proc/irq/*/smp_affinity"), about("/proc/irq")),
    python(
      "irq-default",
      "the default interrupt settings",
      "says",
      opens("/proc/irq/default_smp_affinity"),
      about("/proc/irq/default_smp_affinity"),
    ),
    python("pci", "the configuration of PCI devices", "says", opensAny("/proc/bus/pci/*/*"), about("/proc/bus/pci")),
    python("mtrr", "the memory cache settings", "says", opens("/proc/mtrr"), about("/proc/mtrr")),
    python(
      "any-file",
      "any file of the machine in /proc",
      "says",
      `
import glob, os, stat
for path in sorted(glob.glob("/proc/[a-z]*") + glob.glob("/proc/[a-z]*/*") + glob.glob("/proc/[a-z]*/*/*")):
    if path.split("/")[2] in ("self", "thread-self", "net", "pressure", "sys"): continue
    try:
        if stat.S_ISREG(os.stat(path).st_mode): os.close(os.open(path, os.O_WRONLY)); print("ESCAPED", path)
    except OSError: continue`,
      ROOT,
    ),
    python("core-memory", "the memory of the kernel", "says", opens("/proc/kcore", "O_RDONLY"), about("/proc/kcore")),
    python(
      "messages",
      "the messages of the kernel",
      "says",
      `
import os
fd = os.open("/proc/kmsg", os.O_RDONLY | os.O_NONBLOCK)
print("ESCAPED" if os.fstat(fd).st_rdev == 0 else "covered")`,
      about("/proc/kmsg"),
    ),
    python(
      "symbols",
      "the addresses of the kernel",
      "says",
      `
print("ESCAPED" if any(line.split()[0].strip("0") for line in open("/proc/kallsyms")) else "zeros")`,
      about("/proc/kallsyms"),
    ),
    python("keys", "the kernel keys of all users", "says", reads("/proc/keys"), about("/proc/keys")),
    python("slabs", "the kernel's memory statistics", "says", reads("/proc/slabinfo"), about("/proc/slabinfo")),
    python("timers", "the kernel's timers", "says", reads("/proc/timer_list"), about("/proc/timer_list")),
    python(
      "allocations",
      "the kernel's memory addresses",
      "says",
      reads("/proc/vmallocinfo"),
      about("/proc/vmallocinfo"),
    ),
    python("pages", "the flags of memory pages", "says", reads("/proc/kpageflags"), about("/proc/kpageflags")),
    python(
      "page-groups",
      "the control groups of memory pages",
      "says",
      reads("/proc/kpagecgroup"),
      about("/proc/kpagecgroup"),
    ),
    python("page-types", "the layout of memory", "says", reads("/proc/pagetypeinfo"), about("/proc/pagetypeinfo")),
    python(
      "closed-any",
      "any file that not everybody may read",
      "says",
      `
import os, stat
for name in os.listdir("/proc"):
    found = None if name.isdigit() else os.lstat("/proc/" + name)
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_mode & 4: continue
    try:
        os.close(os.open("/proc/" + name, os.O_RDONLY | os.O_NONBLOCK)); print("ESCAPED", name)
    except OSError as e: print(name, e)`,
      ROOT,
    ),
    python(
      "mounts",
      "where everything is mounted outside",
      "says",
      `
print("ESCAPED" if any(line.split()[1] == "/" and line.split()[2] != "tmpfs" for line in open("/proc/self/mounts")) else "its own")`,
    ),
  ],
};
