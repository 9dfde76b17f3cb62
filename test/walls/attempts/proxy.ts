import { type Attempt, type AttemptGroup, python } from "../attempt.ts";

/** Raw bytes to the proxy in the environment, because a library would correct them. */
const TALK = `
import os, socket, ssl, sys, urllib.parse
place = urllib.parse.urlparse(os.environ["HTTP_PROXY"]); PORT = os.environ["PORT"]; GATE = os.environ["GATE_PORT"]
def to_proxy(): return socket.create_connection((place.hostname, place.port), 4)
def hear(s):
    s.settimeout(4); got = b""
    try:
        while (piece := s.recv(65536)): got += piece
    except OSError as e: got += str(e).encode()
    print(got.decode("latin1"))
def tunnel(target, *pieces):
    s = to_proxy(); s.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
    first = s.recv(4096); print(first)
    if b" 200 " in first:
        for piece in pieces or [b"GET / HTTP/1.0\\r\\nHost: " + target.encode() + b"\\r\\n\\r\\n"]: s.sendall(piece)
        hear(s)
def plain(url, *headers, host=None, method="GET"):
    name = host or url.split("/")[2]
    s = to_proxy(); s.sendall("\\r\\n".join([f"{method} {url} HTTP/1.1", f"Host: {name}", "Connection: close", *headers, "", ""]).encode("utf8")); hear(s)
def hello(name):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO(); context = ssl._create_unverified_context()
    try: context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    except ssl.SSLError: pass
    return outgoing.read()`;
const talk = (name: string, tries: string, text: string): Attempt => python(name, tries, "secret", `${TALK}\n${text}`);

/** Loopback, spelled so that a comparison of texts misses it. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ["plain", "127.0.0.1"],
  ["name", "localhost"],
  ["capitals", "LOCALHOST"],
  ["dot", "localhost."],
  ["short", "127.1"],
  ["decimal", "2130706433"],
  ["hexadecimal", "0x7f000001"],
  ["hexadecimal-dots", "0x7f.0x0.0x0.0x1"],
  ["octal", "0177.0.0.1"],
  ["other", "127.0.0.2"],
  ["zero", "0.0.0.0"],
  ["nothing", "0"],
  ["ipv6", "[::1]"],
  ["ipv6-long", "[0:0:0:0:0:0:0:1]"],
  ["mapped", "[::ffff:127.0.0.1]"],
  ["mapped-hexadecimal", "[::ffff:7f00:1]"],
];

/** Allowed names that resolve to forbidden addresses. */
const NAMES: readonly (readonly [string, string])[] = [
  ["rebind.test", "loopback"],
  ["mixed.test", "a public address and loopback"],
  ["flip.test", "a public address at first, then loopback"],
  ["lan.test", "a private network"],
  ["lan16.test", "another private network"],
  ["metadata.test", "what a cloud tells its machines"],
  ["carrier.test", "a provider's own network"],
  ["six.test", "loopback of IPv6"],
  ["mapped.test", "loopback as an IPv6 address"],
  ["nat64.test", "loopback behind a translator"],
  ["local6.test", "an IPv6 network of one's own"],
  ["link6.test", "the neighbours"],
  ["a.wild.test", "loopback, below a name that is allowed with all below it"],
];

export const PROXY: AttemptGroup = {
  id: "proxy",
  title: "Through the proxy",
  attempts: [
    ...SPELLINGS.map(([name, host]) => talk(`connect-${name}`, `a tunnel to \`${host}\``, `tunnel("${host}:" + PORT)`)),
    ...SPELLINGS.map(([name, host]) =>
      talk(`get-${name}`, `a request for \`${host}\``, `plain("http://${host}:" + PORT + "/")`),
    ),
    ...NAMES.map(([host, where]) =>
      talk(
        `name-${host.replace(".test", "")}`,
        `an allowed name that leads to ${where}`,
        `
tunnel("${host}:443"); plain("http://${host}/")`,
      ),
    ),
    talk(
      "user",
      "a name in front of the address",
      `plain(f"http://site.test@127.0.0.1:{PORT}/", host=f"127.0.0.1:{PORT}")`,
    ),
    talk("user-tunnel", "the same in a tunnel", `tunnel(f"site.test@127.0.0.1:{PORT}"); tunnel(f"127.0.0.1:{PORT}")`),
    talk("percent", "digits as percent signs", `plain(f"http://%31%32%37.0.0.1:{PORT}/", host=f"127.0.0.1:{PORT}")`),
    talk(
      "other-port",
      "another port of an allowed address",
      `tunnel(f"127.0.0.1:{PORT}"); tunnel(f"127.0.0.1:0{PORT}")`,
    ),
    talk("host-only", "an address in the header alone", `plain("/", host=f"127.0.0.1:{PORT}")`),
    talk(
      "host-other",
      "an allowed address, and a header that names another host",
      `plain(f"http://127.0.0.1:{GATE}/", host="internal.test")`,
    ),
    talk("host-twice", "two headers, one of them honest", `plain(f"http://127.0.0.1:{GATE}/", "Host: internal.test")`),
    talk(
      "tunnel-host",
      "another host in a tunnel",
      `tunnel(f"127.0.0.1:{GATE}", b"GET / HTTP/1.0\\r\\nHost: internal.test\\r\\n\\r\\n")`,
    ),
    talk(
      "tunnel-host-twice",
      "two hosts in a tunnel",
      `
tunnel(f"127.0.0.1:{GATE}", f"GET / HTTP/1.0\\r\\nHost: 127.0.0.1:{GATE}\\r\\nHost: internal.test\\r\\n\\r\\n".encode())`,
    ),
    talk(
      "tunnel-host-pieces",
      "another host in a tunnel, in pieces",
      `
import time
s = to_proxy(); s.sendall(f"CONNECT 127.0.0.1:{GATE} HTTP/1.1\\r\\n\\r\\n".encode()); print(s.recv(999))
for piece in [b"GE", b"T / HTTP/1.0\\r\\nHo", b"st: internal", b".test\\r\\n\\r\\n"]: s.sendall(piece); time.sleep(0.1)
hear(s)`,
    ),
    talk(
      "tunnel-host-late",
      "another host in a tunnel, after an empty line",
      `tunnel(f"127.0.0.1:{GATE}", b"\\r\\nGET / HTTP/1.0\\r\\nHost: internal.test\\r\\n\\r\\n")`,
    ),
    talk(
      "tunnel-second",
      "another host in a second request of a tunnel",
      `
honest = f"GET / HTTP/1.1\\r\\nHost: 127.0.0.1:{GATE}\\r\\n\\r\\n".encode(); other = b"GET / HTTP/1.1\\r\\nHost: internal.test\\r\\n\\r\\n"
tunnel(f"127.0.0.1:{GATE}", honest + other); tunnel(f"127.0.0.1:{GATE}", honest, other)`,
    ),
    talk(
      "tunnel-absolute",
      "the address of another host in a request of a tunnel",
      `
for name in ["internal.test", f"127.0.0.1:{PORT}"]: tunnel(f"127.0.0.1:{GATE}", f"GET http://{name}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{GATE}\\r\\n\\r\\n".encode())`,
    ),
    talk(
      "tunnel-smuggled",
      "another host behind a body in a tunnel, by two lengths and by chunks",
      `
other = "GET / HTTP/1.1\\r\\nHost: internal.test\\r\\n\\r\\n"
for lines in ["Content-Length: 0\\r\\nContent-Length: 9", "Content-Length: 4\\r\\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked"]:
    tunnel(f"127.0.0.1:{GATE}", f"POST / HTTP/1.1\\r\\nHost: 127.0.0.1:{GATE}\\r\\n{lines}\\r\\n\\r\\n0\\r\\n\\r\\n{other}".encode())`,
    ),
    talk("tls-name", "another name in TLS", `tunnel(f"127.0.0.1:{GATE}", hello("internal.test"))`),
    talk(
      "upgrade",
      "a web socket",
      `plain(f"http://127.0.0.1:{PORT}/", "Upgrade: websocket", "Sec-WebSocket-Key: eHg=", "Sec-WebSocket-Version: 13")`,
    ),
    talk(
      "smuggled",
      "a request that hides in the body of another",
      `
inner = f"GET http://127.0.0.1:{PORT}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{PORT}\\r\\n\\r\\n"
s = to_proxy(); s.sendall(f"POST http://127.0.0.1:{GATE}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{GATE}\\r\\nContent-Length: {len(inner)}\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n{inner}".encode()); hear(s)
plain(f"http://127.0.0.1:{PORT}/")`,
    ),
    talk(
      "pipelined",
      "a second request on an honest connection",
      `
s = to_proxy(); s.sendall((f"GET http://127.0.0.1:{GATE}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{GATE}\\r\\n\\r\\n" + f"GET http://127.0.0.1:{PORT}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{PORT}\\r\\n\\r\\n").encode()); hear(s)
plain(f"http://127.0.0.1:{PORT}/")`,
    ),
    talk(
      "redirect",
      "where an allowed server sends it",
      `
s = to_proxy(); s.sendall(f"GET http://127.0.0.1:{GATE}/away HTTP/1.1\\r\\nHost: 127.0.0.1:{GATE}\\r\\nConnection: close\\r\\n\\r\\n".encode()); answer = s.recv(4096).decode("latin1"); print(answer)
where = [line[10:] for line in answer.split("\\r\\n") if line.lower().startswith("location: ")][0]; plain(where)`,
    ),
    talk(
      "door",
      "the door itself, by the word that names a port",
      `
for port in [int(PORT), 22, 80]:
    try:
        s = socket.socket(socket.AF_UNIX); s.connect("/run/nomos/door.sock"); s.sendall(bytes([port >> 8, port & 255]) + b"GET / HTTP/1.0\\r\\n\\r\\n"); hear(s)
    except OSError as e: print(e); s = socket.create_connection(("127.0.0.1", int(PORT)), 4); s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n"); hear(s); break`,
    ),
  ],
};
