import { ErrorCard, Link, useCall } from "../frame/index.ts";
import { Badge, Empty } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";

/** So long a server may take to start before the list is shown without it. */
const WAIT_MS = 5_000;

/** What the daemon offers this session beside the agent's own tools. */
export function ToolsTab({ id }: { readonly id: string }) {
  const { value, error, again } = useCall("tool.list", { id, waitMs: WAIT_MS }, { on: /^config\./ });
  if (error !== undefined && value === undefined) return <ErrorCard error={error} again={again} />;
  if (value === undefined) return <p class="muted">Asking the servers …</p>;
  return (
    <div class="session-tools">
      {value.problems.map((problem) => (
        <p key={problem} class="session-tools-problem" role="status">
          <SafeText text={problem} />
        </p>
      ))}
      {value.tools.length === 0 ? (
        <Empty title="No tools beside the agent’s own">
          <Link to="/ui/tools">Add an MCP server</Link>
        </Empty>
      ) : (
        <ul>
          {value.tools.map(({ name, kind, description }) => (
            <li key={name} class="card">
              <code>
                <SafeText text={name} oneLine />
              </code>{" "}
              <Badge>tool.{kind}</Badge>
              <p class="muted">
                <SafeText text={description} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
