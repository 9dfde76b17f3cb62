/** System calls that Python has no name for. */
const LIBC = `
import ctypes, os, platform, signal, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
def call(x64, arm64, *args):
    answer = libc.syscall(ctypes.c_long(arm64 if arm else x64), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if answer < 0: print(os.strerror(ctypes.get_errno()))
    return answer
def got(answer): print("ESCAPED" if answer >= 0 else os.strerror(ctypes.get_errno()))
helper = int(os.environ["HELPER"]); victim = int(os.environ["VICTIM"] or "0")`;
export const c = (text: string) => `${LIBC}\n${text}`;
/** In a child process, whatever the result. */
export const inChild = (text: string) =>
  c(`
if os.fork() == 0:
    ${text}
    sys.stdout.flush(); os._exit(0)
os.wait()`);
