import { type AttemptGroup, python, ROOT, sh } from "../attempt.ts";
import { c, inChild } from "./python-calls.ts";

export const POWER: AttemptGroup = {
  id: "power",
  title: "Setuid, capabilities and dangerous calls",
  attempts: [
    sh("su", "a setuid program", "says", `su nobody -s /bin/sh -c 'echo ESCAPED'`, ROOT),
    python(
      "setuid",
      "another user",
      "says",
      inChild(`os.setgroups([]); os.setuid(65533); print("ESCAPED", flush=True)`),
      ROOT,
    ),
    python("setgid", "another group", "says", inChild(`os.setgid(65533); print("ESCAPED", flush=True)`), ROOT),
    sh("chown", "changing the owner of a file", "says", `touch f; chown 12345 f && echo ESCAPED`, ROOT),
    python(
      "file-capability",
      "a program with capabilities",
      "says",
      c(`
open("f", "w"); os.setxattr("f", "security.capability", struct.pack("<5I", 0x02000000, 0xffffffff, 0, 0xffffffff, 0)); print("ESCAPED")`),
      ROOT,
    ),
    python(
      "trusted",
      "attributes that only the system sets",
      "says",
      `
import os
open("f", "w"); os.setxattr("f", "trusted.x", b"1"); print("ESCAPED")`,
      ROOT,
    ),
    python(
      "capabilities",
      "having any capability",
      "says",
      `
print("ESCAPED" if any(line.startswith("CapEff") and int(line.split()[1], 16) for line in open("/proc/self/status")) else "none")`,
      ROOT,
    ),
    python(
      "bounding",
      "a capability left in the bounding set",
      "says",
      `
print("ESCAPED" if any(line.startswith("CapBnd") and int(line.split()[1], 16) for line in open("/proc/self/status")) else "none")`,
      ROOT,
    ),
    python(
      "new-privileges",
      "a program started with more rights",
      "says",
      c(`print("ESCAPED" if libc.prctl(39, 0, 0, 0, 0) == 0 else "no_new_privs")`),
    ),
    python("nice", "raising its own priority", "says", `import os; os.nice(-5); print("ESCAPED")`, ROOT),
    python(
      "realtime",
      "real-time priority",
      "says",
      `import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); print("ESCAPED")`,
      ROOT,
    ),
    python(
      "kernel-log",
      "the messages of the kernel",
      "says",
      c(`buf = ctypes.create_string_buffer(4096); got(libc.klogctl(3, buf, 4096))`),
      ROOT,
    ),
    python(
      "module",
      "loading a module",
      "says",
      c(`
call(175, 105, ctypes.c_char_p(b"none"), 4, ctypes.c_char_p(b"")); print("ESCAPED" if ctypes.get_errno() != 1 else "")`),
      ROOT,
    ),
    python(
      "module-remove",
      "removing a module",
      "says",
      c(`
call(176, 106, ctypes.c_char_p(b"there_is_no_such_module"), 2048); print("ESCAPED" if ctypes.get_errno() != 1 else "")`),
      ROOT,
    ),
    python(
      "bpf",
      "a program in the kernel",
      "says",
      c(`got(call(321, 280, 0, ctypes.c_char_p(struct.pack("12I", 2, 4, 4, 1, *[0] * 8)), 48))`),
      ROOT,
    ),
    python(
      "perf",
      "performance counters of other processes",
      "says",
      c(`got(call(298, 241, ctypes.c_char_p(struct.pack("II", 1, 112) + bytes(104)), -1, 0, -1, 0))`),
      ROOT,
    ),
    python("userfault", "handling page faults by a system call", "says", c(`got(call(323, 282, 0))`), ROOT),
    python("fanotify", "watching a whole file system", "says", c(`got(call(300, 262, 0, 0))`), ROOT),
    python(
      "io-uring",
      "calls that no filter sees",
      "says",
      c(`got(call(425, 425, 4, ctypes.create_string_buffer(120)))`),
    ),
    python("personality", "turning address randomisation off", "says", inChild(`got(libc.personality(0x40000))`)),
    python(
      "key-add",
      "a key for later",
      "says",
      c(
        `got(call(248, 217, ctypes.c_char_p(b"user"), ctypes.c_char_p(os.environ["P"].encode()), ctypes.c_char_p(b"x"), 1, -2))`,
      ),
    ),
    python(
      "key-read",
      "a key of the user's",
      "secret",
      c(`
key = call(250, 219, 10, -4, ctypes.c_char_p(b"user"), ctypes.c_char_p(os.environ["KEY"].encode()), 0)
buf = ctypes.create_string_buffer(99); call(250, 219, 11, key, buf, 99); print(buf.value)`),
    ),
    python(
      "key-request",
      "a key that the system looks for",
      "secret",
      c(`
call(250, 219, 1, ctypes.c_char_p(None)); call(250, 219, 8, -4, -3)
key = call(249, 218, ctypes.c_char_p(b"user"), ctypes.c_char_p(os.environ["KEY"].encode()), None, -2)
buf = ctypes.create_string_buffer(99); call(250, 219, 11, key, buf, 99); print(buf.value)`),
    ),
  ],
};
