export {
  type AnsweredCall,
  answer,
  type Behaviour,
  calling,
  failing,
} from "./behaviour.ts";
export { type ModelServer, type SeenRequest, startModelServer } from "./server.ts";
