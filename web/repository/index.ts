export { ChooseRepository } from "./choose-repository.tsx";
export { LawError, NoRepository } from "./law-error.tsx";
export { useRepository } from "./use-repository.ts";
