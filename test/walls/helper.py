"""A process outside that has what an attacker wants: in its memory, its files, its queues, its keys. Ends with its stdin."""
import ctypes, json, mmap, os, pty, socket, struct, sys, threading

root, tag, secret = sys.argv[1], sys.argv[2], os.environ["HELPER_SECRET"]
libc = ctypes.CDLL(None, use_errno=True)
arm = os.uname().machine == "aarch64"
say = lambda what: (sys.stdout.write(json.dumps(what) + "\n"), sys.stdout.flush())

buffer = ctypes.create_string_buffer(secret.encode(), 64)
path = f"{root}/outside/helper-open"
with open(path, "w") as file: file.write(secret + "\n" * 4096)
fd = os.open(path, os.O_RDONLY)
mapped = mmap.mmap(fd, 4096, prot=mmap.PROT_READ)

key = int(tag, 16) & 0x7FFFFFFF
libc.shmat.restype = ctypes.c_void_p
shm = libc.shmget(key, 4096, 0o1600)
at = libc.shmat(shm, None, 0)
ctypes.memmove(at, secret.encode(), len(secret))
msg = libc.msgget(key, 0o1600)
text = struct.pack("l", 1) + secret.encode()
for n in range(4): libc.msgsnd(msg, ctypes.c_char_p(text), len(secret), 0o4000)
sem = libc.semget(key, 1, 0o1600)
attributes = struct.pack("8l", 0, 8, 256, 0, 0, 0, 0, 0)
queue = libc.syscall(180 if arm else 240, f"nomos-{tag}".encode(), os.O_CREAT | os.O_RDWR, 0o600, ctypes.c_char_p(attributes))
for n in range(4): libc.syscall(182 if arm else 242, queue, secret.encode(), ctypes.c_size_t(len(secret)), 0, None)
memory = f"nomos-walls-{tag}"
with open(f"/dev/shm/{memory}", "w") as file: file.write(secret.ljust(4096))
name = f"nomos-walls-{tag}"
made = libc.syscall(217 if arm else 248, b"user", name.encode(), secret.encode(), ctypes.c_size_t(len(secret)), -4)

class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]

handle, mount = Handle(128), ctypes.c_int()
libc.name_to_handle_at(-100, f"{root}/outside/secret".encode(), ctypes.byref(handle), ctypes.byref(mount), 0)

log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind(f"{root}/outside/log.sock")
passing = socket.socket(socket.AF_UNIX)
passing.bind(f"{root}/outside/pass.sock")
passing.listen()

def hear():
    while True: say({"heard": log.recv(4096).decode("latin1")})

near, far = pty.openpty()

def watch():
    while True: say({"heard": os.read(near, 4096).decode("latin1")})

def hand_out():
    while True: socket.send_fds(passing.accept()[0], [b"x"], [fd])

for run in (hear, watch, hand_out): threading.Thread(target=run, daemon=True).start()
os.chdir(f"{root}/outside")
say({
    "HELPER": os.getpid(), "HELPER_ADDRESS": ctypes.addressof(buffer), "HELPER_FD": fd, "SHM_KEY": key, "SHM_ID": shm,
    "MSG_ID": msg, "MQ": f"nomos-{tag}", "SHM_NAME": memory, "KEY": name, "LOG_SOCK": f"{root}/outside/log.sock",
    "TERMINAL": os.ttyname(far), "PASS_SOCK": f"{root}/outside/pass.sock", "HANDLE": f"{handle.kind}:{bytes(handle.data[: handle.size]).hex()}",
})
sys.stdin.read()
libc.shmctl(shm, 0, None)
libc.msgctl(msg, 0, None)
libc.semctl(sem, 0, 0)
libc.syscall(181 if arm else 241, f"nomos-{tag}".encode())
libc.syscall(219 if arm else 250, ctypes.c_long(9), ctypes.c_long(made), ctypes.c_long(-4))
if os.path.exists(f"/dev/shm/{memory}"): os.unlink(f"/dev/shm/{memory}")
