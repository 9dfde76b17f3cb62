export { ChooseRepository } from "./choose-repository.tsx";
export { useRepository } from "./use-repository.ts";
