export {
  followSession,
  goLive,
  lookAt,
  onEvents,
  type SessionFollower,
  serverNow,
  useConnection,
  useQuestions,
  useSession,
  useSessions,
} from "./live.ts";
export type { Row } from "./messages.ts";
export { trustedUrl } from "./trusted-url.ts";
