import type { Finding, Rule } from "./rule.ts";
import type { SourceFile } from "./source-tree.ts";

const LIST = "web/pages.ts";
const ROOM = /^web\/[^/]+(?=\/)/;

/**
 * A page of the dashboard can be deleted by deleting its folder and its line in web/pages.ts: nothing else imports it. What
 * pages share is a room with an index.ts.
 */
export const pagesApart: Rule = ({ files, byPath }) => {
  const pages = new Set(
    (byPath.get(LIST)?.links ?? []).flatMap((link) => (link.kind === "dynamic" ? roomOf(link) : [])),
  );
  return files.flatMap((file) => file.links.flatMap((link) => judge(file, link, pages)));
};

function judge(file: SourceFile, link: SourceFile["links"][number], pages: ReadonlySet<string>): readonly Finding[] {
  const [room] = roomOf(link);
  const [own] = ROOM.exec(file.path) ?? [];
  if (room === undefined || room === own || link.target.at !== "file" || link.target.path.endsWith(".css")) return [];
  const say = (message: string): readonly Finding[] => [{ file: file.path, line: link.line, message }];
  if (pages.has(room)) {
    const isLoaded = file.path === LIST && link.kind === "dynamic";
    return isLoaded ? [] : say(`${room} is a page: only ${LIST} may name it, and by import()`);
  }
  return link.target.path === `${room}/index.ts`
    ? []
    : say(`${link.target.path} is inside ${room}; its one entrance is index.ts`);
}

function roomOf({ target }: SourceFile["links"][number]): readonly string[] {
  const [room] = (target.at === "file" ? ROOM.exec(target.path) : null) ?? [];
  return room === undefined ? [] : [room];
}
