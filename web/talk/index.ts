export { Actor } from "./actor.tsx";
export type { Entry } from "./entry.ts";
export { TodoView } from "./entry-view.tsx";
export { createFold, type Fold, foldEvents } from "./fold/fold.ts";
export { pathOf } from "./left-behind.ts";
export { NOTHING_STREAMED, type Streamed, withEvent, withFrame } from "./streamed.ts";
export { TalkView } from "./talk-view.tsx";
export { clockText, momentText } from "./time-text.ts";
export { TurnFiles } from "./turn-files.tsx";
