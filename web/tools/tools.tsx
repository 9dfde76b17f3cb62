import { ErrorCard, type PageProps, useCall } from "../frame/index.ts";
import { Copy, Empty } from "../parts/index.ts";
import { AddServer } from "./add-server.tsx";
import { Server } from "./server.tsx";
import "./page.css";

/** The MCP servers whose tools sessions have, one process for all of them. */
export function View(_props: PageProps) {
  const { value, error, again } = useCall("mcp-server.list", {}, { on: /^config\./ });
  if (error !== undefined && value === undefined)
    return (
      <div class="page">
        <ErrorCard error={error} again={again} />
      </div>
    );
  if (value === undefined) return <p class="muted loading">Loading …</p>;
  const { servers } = value;
  return (
    <div class="page tools">
      <header class="page-head">
        <h1>Tools</h1>
      </header>
      <p class="muted">
        Sessions of every agent share these MCP servers: one process for all, started by the first session that needs
        it. What a single session has is in its tab “Tools”.
      </p>
      {servers.length === 0 && (
        <Empty title="No MCP server yet">
          <p>Add one below, or paste the settings of another program:</p>
          <Copy text="nomos mcp-server add --settings ~/.cursor/mcp.json" />
        </Empty>
      )}
      {servers.map((server) => (
        <Server key={server.name} server={server} onChange={again} />
      ))}
      <AddServer isOpen={servers.length === 0} onAdded={again} />
      <section class="card" aria-label="Tools of your own">
        <h2>Tools of your own</h2>
        <p>
          A <code>.ts</code> file in <code>$NOMOS_HOME/tools/</code> or in <code>.nomos/tools/</code> of a repository is
          a tool of the next turn. A repository’s file is asked for once before it runs.
        </p>
      </section>
    </div>
  );
}
