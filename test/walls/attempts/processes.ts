import { type AttemptGroup, python, sh } from "../attempt.ts";
import { c } from "./python-calls.ts";

export const PROCESSES: AttemptGroup = {
  id: "process",
  title: "Other processes: signals, memory, limits, messages",
  attempts: [
    sh("kill", "a signal by the shell", "victim", `kill -9 "$VICTIM"`),
    sh("kill-group", "a signal to a group", "victim", `kill -9 -"$VICTIM"`),
    sh("stop", "stopping it by SIGSTOP", "victim", `kill -STOP "$VICTIM"`),
    python("signal", "a signal by Python", "victim", c("os.kill(victim, 9)")),
    python("pidfd-signal", "a signal by a pidfd", "victim", c("call(424, 424, call(434, 434, victim, 0), 9, None, 0)")),
    python("thread-signal", "a signal to a thread", "victim", c("call(234, 131, victim, victim, 9)")),
    python(
      "queued-signal",
      "a signal with a value",
      "victim",
      c(`call(129, 138, victim, 9, ctypes.create_string_buffer(128)); libc.sigqueue(victim, 9, 0)`),
    ),
    python(
      "owner-signal",
      "a signal that a pipe sends",
      "victim",
      c(`
import fcntl
r, w = os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, victim); fcntl.fcntl(r, 10, 9)
fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); os.write(w, b"x")`),
    ),
    python(
      "limits",
      "setting a limit that ends it",
      "victim",
      c(`
import resource
resource.prlimit(victim, resource.RLIMIT_NOFILE, (3, 3))`),
    ),
    python("seen", "testing whether a process exists", "says", c("os.kill(helper, 0); print('ESCAPED')")),
    python(
      "priority",
      "its priority",
      "says",
      c("os.setpriority(os.PRIO_PROCESS, helper, os.getpriority(os.PRIO_PROCESS, helper)); print('ESCAPED')"),
    ),
    python(
      "affinity",
      "its processors",
      "says",
      c("os.sched_setaffinity(helper, os.sched_getaffinity(helper)); print('ESCAPED')"),
    ),
    python(
      "priority-of-user",
      "the priority of all processes of the user",
      "says",
      c(`
there = os.getpriority(os.PRIO_PROCESS, helper); os.setpriority(os.PRIO_PROCESS, helper, there); print("ESCAPED")`),
    ),
    python(
      "attach",
      "tracing it",
      "says",
      c(
        "answer = libc.ptrace(16, helper, 0, 0); got(answer); answer == 0 and os.waitpid(helper, 0x40000000); libc.ptrace(17, helper, 0, 0)",
      ),
    ),
    python(
      "seize",
      "tracing it without a stop",
      "says",
      c("got(libc.ptrace(0x4206, helper, 0, 0)); libc.ptrace(17, helper, 0, 0)"),
    ),
    python(
      "trace-child",
      "tracing a child of its own",
      "says",
      c(`
child = subprocess.Popen(["sleep", "5"]); got(libc.ptrace(0x4206, child.pid, 0, 0)); child.kill()`),
    ),
    python(
      "read-memory",
      "its memory",
      "secret",
      c(`
buf = ctypes.create_string_buffer(64)
local = struct.pack("PN", ctypes.addressof(buf), 64); remote = struct.pack("PN", int(os.environ["HELPER_ADDRESS"]), 64)
call(310, 270, helper, ctypes.c_char_p(local), 1, ctypes.c_char_p(remote), 1, 0); print(buf.raw)`),
    ),
    python(
      "take-descriptor",
      "a descriptor of its",
      "secret",
      c(`
fd = call(438, 438, call(434, 434, helper, 0), int(os.environ["HELPER_FD"]), 0); print(os.pread(fd, 99, 0))`),
    ),
    python(
      "compare",
      "testing whether two processes share something",
      "says",
      c("got(call(312, 272, helper, helper, 0, 0, 0))"),
    ),
    python(
      "shm-read",
      "shared memory of a process outside",
      "secret",
      c(`
libc.shmat.restype = ctypes.c_void_p
at = libc.shmat(libc.shmget(int(os.environ["SHM_KEY"]), 0, 0), None, 0); print(ctypes.string_at(at, 64))`),
    ),
    python(
      "shm-by-id",
      "shared memory by its number",
      "secret",
      c(`
libc.shmat.restype = ctypes.c_void_p
at = libc.shmat(int(os.environ["SHM_ID"]), None, 0); print(ctypes.string_at(at, 64) if at not in (None, 2**64 - 1) else "none")`),
    ),
    python(
      "queue-read",
      "a message in its queue",
      "secret",
      c(`
buf = ctypes.create_string_buffer(128)
libc.msgrcv(libc.msgget(int(os.environ["SHM_KEY"]), 0), buf, 100, 0, 0o4000); print(buf.raw)`),
    ),
    python(
      "queue-by-id",
      "a message queue by its number",
      "secret",
      c(`
buf = ctypes.create_string_buffer(128); libc.msgrcv(int(os.environ["MSG_ID"]), buf, 100, 0, 0o4000); print(buf.raw)`),
    ),
    python(
      "semaphore",
      "its semaphore",
      "says",
      c(`got(libc.semctl(libc.semget(int(os.environ["SHM_KEY"]), 1, 0), 0, 12))`),
    ),
    python(
      "posix-queue",
      "its POSIX queue",
      "secret",
      c(`
fd = call(240, 180, ctypes.c_char_p(os.environ["MQ"].encode()), os.O_RDWR | os.O_NONBLOCK, 0, None)
buf = ctypes.create_string_buffer(8192); call(243, 183, fd, buf, 8192, None, None); print(buf.value)`),
    ),
    python(
      "posix-memory",
      "its POSIX shared memory",
      "secret",
      c(`
fd = libc.shm_open(("/" + os.environ["SHM_NAME"]).encode(), 0, 0); print(os.pread(fd, 64, 0))`),
    ),
    python(
      "ipc-list",
      "a list of all shared memory and queues",
      "says",
      `
print("ESCAPED" if len(open("/proc/sysvipc/shm").readlines()) > 1 else "nothing")`,
    ),
  ],
};
