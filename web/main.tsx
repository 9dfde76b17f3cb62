import "./style/tokens.css";
import "./style/base.css";
import "./style/frame.css";
import "./style/parts.css";
import { startFrame } from "./frame/index.ts";
import { PAGES } from "./pages.ts";

const root = document.getElementById("nomos");
if (root !== null) void startFrame(root, PAGES);
