import type { PageProps } from "../frame/index.ts";
import { useSessions } from "../live/index.ts";

export function View(_props: PageProps) {
  return <div class="page">{useSessions().length} sessions</div>;
}
