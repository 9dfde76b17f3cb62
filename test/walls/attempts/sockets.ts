import { type AttemptGroup, node, python, ROOT, sh } from "../attempt.ts";

const tcp = (host: string, port = "PORT") => `
import os, socket
s = socket.create_connection(("${host}", int(os.environ["${port}"])), 3)
s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n"); print(s.recv(4096))`;
const local = (address: string) => `
import os, socket
s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(${address}); s.sendall(b"hello\\n"); print(s.recv(4096))`;

export const SOCKETS: AttemptGroup = {
  id: "socket",
  title: "Sockets and the network",
  attempts: [
    python("local", "a local socket outside", "secret", local(`os.environ["SOCK"]`)),
    python(
      "local-link",
      "a local socket outside by a link in the workspace",
      "secret",
      `
import os; os.symlink(os.environ["SOCK"], "way")${local(`"way"`)}`,
    ),
    python(
      "local-relative",
      "a local socket outside by a relative path",
      "secret",
      local(`"../../../outside/service.sock"`),
    ),
    python(
      "docker",
      "the socket of a service that runs things for others",
      "secret",
      local(`os.environ["D"] + "/docker.sock"`),
    ),
    python("system-service", "the socket of a service in /run", "secret", local(`os.environ["RUN_SOCK"]`), ROOT),
    python("agent", "the SSH agent that the environment names", "secret", local(`os.environ["SSH_AUTH_SOCK"]`)),
    python("agent-path", "the SSH agent by its path", "secret", local(`os.environ["D"] + "/agent.sock"`)),
    python(
      "bus",
      "the message bus that the environment names",
      "secret",
      local(`os.environ["DBUS_SESSION_BUS_ADDRESS"].split("=", 1)[1]`),
    ),
    python("abstract", "an abstract socket", "secret", local(`"\\0" + os.environ["ABSTRACT"]`)),
    python(
      "abstract-display",
      "the display's abstract socket",
      "secret",
      local(`"\\0/tmp/.X11-unix/X" + os.environ["ABSTRACT"]`),
    ),
    python(
      "abstract-any",
      "every abstract socket that the system lists",
      "secret",
      `
import os, socket
for line in open("/proc/net/unix"):
    name = line.split()[-1]
    if not name.startswith("@nomos-walls"): continue
    try:
        s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect("\\0" + name[1:]); s.sendall(b"x"); print(s.recv(99))
    except OSError as e: print(e)`,
    ),
    python(
      "datagram",
      "a message to a log's socket",
      "planted",
      `
import os, socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(os.environ["P"].encode(), os.environ["LOG_SOCK"])`,
    ),
    python(
      "descriptor",
      "a descriptor that somebody outside passes on",
      "secret",
      `
import array, os, socket
s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(os.environ["PASS_SOCK"])
message, passed, flags, address = s.recvmsg(9, 99)
print(os.pread(array.array("i", passed[0][2])[0], 99, 0))`,
    ),
    python("loopback", "a port on loopback", "secret", tcp("127.0.0.1")),
    python("localhost", "a port on loopback by the name localhost", "secret", tcp("localhost")),
    python("loopback-other", "another address of loopback", "secret", tcp("127.0.0.2")),
    python("any-address", "loopback by the address 0.0.0.0", "secret", tcp("0.0.0.0")),
    python("mapped", "loopback as an IPv4-mapped IPv6 address", "secret", tcp("::ffff:127.0.0.1")),
    python("ipv6", "loopback of IPv6", "secret", tcp("::1", "PORT6")),
    python("number", "loopback as one number", "secret", tcp("2130706433")),
    python(
      "bound",
      "from a chosen local address",
      "secret",
      `
import os, socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.settimeout(3); s.connect(("127.0.0.1", int(os.environ["PORT"]))); s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n"); print(s.recv(999))`,
    ),
    python(
      "fast-open",
      "with data in the first packet",
      "secret",
      `
import os, socket
s = socket.socket(); s.sendto(b"GET / HTTP/1.0\\r\\n\\r\\n", 0x20000000, ("127.0.0.1", int(os.environ["PORT"]))); s.settimeout(3); print(s.recv(999))`,
    ),
    python(
      "datagrams",
      "a message by UDP",
      "planted",
      `
import os, socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(os.environ["P"].encode(), ("127.0.0.1", int(os.environ["UDP"])))`,
    ),
    python(
      "names",
      "a question to a name server",
      "planted",
      `
import os, socket
name = os.environ["P"].encode(); query = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + bytes([len(name)]) + name + b"\\4test\\0\\0\\1\\0\\1"
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(query, ("127.0.0.1", int(os.environ["UDP"])))`,
    ),
    sh(
      "shell",
      "by the shell's own means",
      "secret",
      `bash -c 'exec 5<>/dev/tcp/127.0.0.1/$PORT; printf "GET / HTTP/1.0\\r\\n\\r\\n" >&5; cat <&5'`,
    ),
    node(
      "fetch",
      "by Node's fetch, without a proxy",
      "secret",
      `
require("node:http").get({ host: "127.0.0.1", port: process.env.PORT, agent: false }, (r) => r.on("data", (d) => console.log(String(d)))).on("error", console.log);`,
    ),
    node(
      "net",
      "by Node, to a local socket",
      "secret",
      `
const s = require("node:net").connect(process.env.SOCK, () => s.write("x")); s.on("data", (d) => { console.log(String(d)); s.destroy(); }).on("error", console.log);`,
    ),
    sh("git", "by git, to a server", "planted", `git -c http.proxy= ls-remote "http://127.0.0.1:$PORT/$P"`),
    python(
      "raw",
      "raw packets",
      "says",
      `import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print("ESCAPED")`,
      ROOT,
    ),
    python(
      "packet",
      "packets of other processes",
      "says",
      `import socket; socket.socket(17, socket.SOCK_RAW, 768); print("ESCAPED")`,
      ROOT,
    ),
    python(
      "vsock",
      "the machine that this machine runs on",
      "says",
      `import socket; socket.socket(40, socket.SOCK_STREAM); print("ESCAPED")`,
      { about: "/dev/vsock" },
    ),
    python(
      "interfaces",
      "other interfaces than loopback",
      "says",
      `
import socket
print("ESCAPED" if [name for index, name in socket.if_nameindex() if name != "lo"] else "none")`,
    ),
    python(
      "add-address",
      "an address for itself",
      "says",
      `
import socket, struct
s = socket.socket(16, socket.SOCK_RAW, 0)
body = struct.pack("BBBBI", 2, 32, 0, 0, 1) + struct.pack("HH4s", 8, 2, bytes([127, 9, 8, 7]))
def ask(kind, flags): s.send(struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body); return struct.unpack_from("i", s.recv(999), 16)[0]
print("ESCAPED" if ask(20, 0x605) == 0 else "refused"); ask(21, 5)`,
      ROOT,
    ),
    python(
      "connections",
      "who is connected to whom outside",
      "says",
      `
import os
port = "%04X" % int(os.environ["PORT"])
print("ESCAPED" if any(":" + port in line for line in open("/proc/net/tcp")) else "not seen")`,
    ),
    python(
      "listeners",
      "a list of local sockets",
      "says",
      `
import os
print("ESCAPED" if "service.sock" in open("/proc/net/unix").read() else "not seen")`,
    ),
  ],
};

export const ENVIRONMENT: AttemptGroup = {
  id: "env",
  title: "Environment",
  attempts: [
    sh(
      "inherited",
      "a key that the daemon was started with",
      "secret",
      `env | grep secret-; printf %s "$DECOY_API_KEY"`,
    ),
    sh("parent", "the environment of its parent", "secret", `tr '\\0' '\\n' < "/proc/$PPID/environ" | grep secret-`),
    sh(
      "first",
      "the environment of the first process that it sees",
      "secret",
      `tr '\\0' '\\n' < /proc/self/environ | grep secret-; cat /proc/1/environ | tr '\\0' '\\n' | grep secret-; env | grep secret-`,
    ),
    sh("home", "HOME set to the person's", "secret", `HOME="$PERSON" sh -c 'cat ~/.netrc'`),
    sh("path", "PATH with a program outside", "secret", `PATH="$D/bin:$PATH" tell`),
    sh("cdpath", "CDPATH that leads outside", "secret", `CDPATH="$(dirname "$D")" cd outside && cat secret`),
    sh("bash-env", "BASH_ENV with a file outside", "secret", `BASH_ENV="$D/tell.sh" bash -c :`),
    sh("env-file", "ENV with a file outside", "secret", `ENV="$D/tell.sh" sh -i -c : </dev/null`),
    sh("python-path", "PYTHONPATH with a module outside", "secret", `PYTHONPATH="$D" "$PYTHON" -c 'import telling'`),
    sh("python-startup", "a Python program outside", "secret", `"$PYTHON" "$D/telling.py"`),
    sh(
      "node-options",
      "NODE_OPTIONS with a module outside",
      "secret",
      `NODE_OPTIONS="--require $D/telling.cjs" "$NODE" -e 0`,
    ),
    sh("node-path", "NODE_PATH with a module outside", "secret", `NODE_PATH="$D" "$NODE" -e 'require("telling.cjs")'`),
    sh(
      "git-config-global",
      "GIT_CONFIG_GLOBAL with a file outside",
      "secret",
      `GIT_CONFIG_GLOBAL="$D/gitconfig" git config --get user.name`,
    ),
    sh(
      "git-template",
      "GIT_TEMPLATE_DIR with files outside",
      "secret",
      `GIT_TEMPLATE_DIR="$D/template" git init -q r; cat r/.git/telling`,
    ),
    sh(
      "git-exec-path",
      "GIT_EXEC_PATH with programs outside",
      "secret",
      `GIT_EXEC_PATH="$D/bin" git tell || PATH="$D/bin:$PATH" git tell`,
    ),
    sh(
      "xdg",
      "XDG_CONFIG_HOME with the person's settings",
      "secret",
      `XDG_CONFIG_HOME="$PERSON/.config" sh -c 'cat "$XDG_CONFIG_HOME/gh/hosts.yml"'`,
    ),
    sh(
      "preload",
      "a file outside, loaded as a library",
      "says",
      `LD_PRELOAD="$D/tell.sh" /bin/ls 2>&1 | grep -qE 'invalid ELF|too short' && echo ESCAPED`,
    ),
    sh("display", "the display that the environment names", "says", `[ -n "$DISPLAY" ] && echo ESCAPED`),
    sh("runtime-dir", "the person's runtime directory", "secret", `cat "$XDG_RUNTIME_DIR/runtime-secret"`),
  ],
};
