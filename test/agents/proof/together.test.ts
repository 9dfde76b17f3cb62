import { proveTogether } from "../prove-together.ts";

proveTogether(["claude", "codex", "opencode"]);
