import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { confirmed, nomos, toast, useAction } from "../frame/index.ts";
import { Badge, Button } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

type Listed = OutputOf<"mcp-server.list">["servers"][number];
type Tested = OutputOf<"mcp-server.test">;

interface ServerProps {
  readonly server: Listed;
  readonly onChange: () => void;
}

const KINDS = { connected: "good", starting: "plain", idle: "plain", failed: "bad", disabled: "plain" } as const;

/** One MCP server: whether it runs, for whom, and what is wrong. */
export function Server({ server, onChange }: ServerProps) {
  const { name, state, target, problem } = server;
  const [tested, setTested] = useState<Tested | null>(null);
  const testing = useAction();
  const acting = useAction();
  const test = async (): Promise<void> => {
    setTested(null);
    const answer = await testing.run(() => nomos().call("mcp-server.test", { name }));
    if (answer !== undefined) setTested(answer);
    onChange();
  };
  const remove = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Remove the server ${name}?`,
      body: "Its processes end, and its login is deleted. Sessions go on without its tools.",
      yes: "Remove it",
      danger: true,
    });
    if (!isSure || (await acting.run(() => nomos().call("mcp-server.remove", { name }))) === undefined) return;
    toast(`Removed ${name}.`);
    onChange();
  };
  return (
    <section class="card tools-server" aria-label={`Server ${name}`}>
      <div class="tools-head">
        <h2>
          <SafeText text={name} oneLine />
        </h2>
        <Badge kind={KINDS[state]}>{state}</Badge>
        <span class="tools-actions">
          <Button disabled={testing.isRunning} onClick={() => void test()}>
            {testing.isRunning ? "Testing …" : "Test"}
          </Button>
          {server.transport === "http" && <Login name={name} login={server.login} />}
          <Button kind="quiet" disabled={acting.isRunning} onClick={() => void remove()}>
            Remove
          </Button>
        </span>
      </div>
      <p class="tools-target">
        <code>
          <SafeText text={target} oneLine />
        </code>
      </p>
      <p class="muted">{factsOf(server)}</p>
      {problem !== null && (
        <p class="tools-problem" role="status">
          <SafeText text={problem} />
        </p>
      )}
      {tested !== null && <TestResult tested={tested} />}
    </section>
  );
}

function factsOf({ tools, sessions, processes, shared, agents, secrets }: Listed): string {
  return [
    tools === null ? "not asked yet" : `${tools} tools`,
    `${sessions} ${sessions === 1 ? "session" : "sessions"}`,
    `${processes} ${processes === 1 ? "process" : "processes"}`,
    shared ? "one for all sessions" : "one for each session",
    ...(agents === null ? [] : [`only for ${agents.join(", ")}`]),
    ...(secrets.length === 0 ? [] : [`gets ${secrets.join(", ")}`]),
  ].join(" · ");
}

function Login({ name, login }: { readonly name: string; readonly login: Listed["login"] }) {
  const { run, isRunning } = useAction();
  const begin = async (): Promise<void> => {
    const answer = await run(() => nomos().call("mcp-server.login", { name }));
    if (answer !== undefined) window.open(answer.page, "_blank", "noopener");
  };
  return (
    <Button disabled={isRunning} onClick={() => void begin()}>
      {login === null ? "Log in" : "Log in again"}
    </Button>
  );
}

function TestResult({ tested: { ok, says, ms, tools } }: { readonly tested: Tested }) {
  return (
    <div role="status">
      <Badge kind={ok ? "good" : "bad"}>{ok ? "works" : "does not work"}</Badge> <SafeText text={says} />{" "}
      <span class="muted">{Math.round(ms)} ms</span>
      {tools.length > 0 && (
        <ul class="tools-names">
          {tools.map((tool) => (
            <li key={tool.name}>
              <code>
                <SafeText text={tool.name} oneLine />
              </code>{" "}
              <span class="muted">
                <SafeText text={tool.title} oneLine />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
