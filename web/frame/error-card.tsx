import { ClientError } from "../../src/client/index.ts";
import { Button } from "../parts/index.ts";

/** What happened, what to do about it, and the code to search for. */
export function ErrorCard({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const known = error instanceof ClientError ? error : new ClientError("internal", { message: String(error) });
  return (
    <div class="error-card" role="alert">
      <strong>{known.message}</strong>
      <p>{known.remedy}</p>
      <p class="muted">
        <code>{known.code}</code>
      </p>
      {again !== undefined && <Button onClick={again}>Try again</Button>}
    </div>
  );
}
