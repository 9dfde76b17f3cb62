// Generated from the syscall table by `npm run docs`.
import type { SyscallTypes } from "./types.generated.ts";

export const DETAILS: { readonly [name in keyof SyscallTypes]: string } = {
  "session.start":
    '["write","session.spawn","Start a session of a driver, with a first prompt if one is given","missing_adapter cwd_missing cwd_hidden path_outside workspace_not_found invalid_ground not_installed agent_version setup_required unknown_mode unknown_model unknown_option driver_file_invalid sandbox_unavailable sandbox_floor scope_invalid not_a_repository repository_invalid worktree_base_missing worktree_base_incomplete tree_too_large worktree_failed git_missing git_failed disk_full payload_too_large invalid_agent delegation_denied cwd_outside_parent max_depth_exceeded child_quota_exceeded quota_exceeded disk_low limit_reached","adapter prompt",[["adapter","text!","the driver: `driver list` shows those there are",0],["agent","text","the agent it works as; default: the one of the driver\'s name",0],["workspaceSlug","text","older name: a workspace by its slug",0],["ground","text","where it works: ws://workspaces/<slug>, with a path behind it if need be",0],["cwd","text","the directory it works in, where no ground is named",0],["prompt","text","at most 1048576 bytes",0],["attachments","json","images, files and links beside the text; an agent that cannot take one refuses the turn",0],["mode","text","the agent\'s mode",0],["model","text","the model it works with",0],["options","json","",0],["label","text","",0],["sandbox","text","",["off","warn","enforce","strict"]],["scope","json","what it may change, by path below the repository\'s root; implies a worktree",0],["network","json","",0],["worktree","boolean","work in a tree of its own, made from the repository at `base`",0],["base","text","branch, tag or commit of the worktree; default: HEAD",0],["file","text","the TypeScript file that drives it, for the script driver",0]],{"paths":["cwd","file"],"here":{"member":"cwd","unless":["ground","workspaceSlug"]}}]',
  "session.prompt":
    '["write","session.prompt","Give a session its next prompt; answered when it is durably admitted","sandbox_floor session_not_found session_busy session_ended session_suspended queue_full not_promptable quota_exceeded disk_low payload_too_large delegation_denied","id prompt",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["prompt","text!","at most 1048576 bytes",0],["queue","boolean","wait in line while the session is busy",0],["interrupt","boolean","end the running turn first",0],["attachments","json","images, files and links beside the text; an agent that cannot take one refuses the turn",0]],{}]',
  "session.interrupt":
    '["write","session.prompt","End the running turn; the session stays","session_not_found not_interruptible","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.suspend":
    '["write","session.control","Hold a session: its running turn ends, its queue waits until it is resumed","session_not_found session_ended session_busy","id reason",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["reason","text","",0]],{}]',
  "session.resume":
    '["write","session.control","Let a suspended session go on","sandbox_floor session_not_found session_ended session_not_suspended quota_exceeded disk_low","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.hibernate":
    '["write","session.control","Put an idle session to sleep; the next prompt wakes it","session_not_found session_ended session_busy","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.kill":
    '["write","session.kill","End a session and its whole process tree","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["reason","text","",0]],{}]',
  "session.forget":
    '["write","session.control","Kill a session if it lives, and take it out of every list; its events stay in the log","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.label":
    '["write","session.label","Give a session a label, or take it away","session_not_found quota_exceeded disk_low","id label",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["label","text!","",0]],{}]',
  "session.fork":
    '["write","session.fork","A new session that starts where another one was at some event, on files of its own as they were then","sandbox_floor session_not_found event_not_found turn_not_found delegation_denied quota_exceeded disk_low disk_full limit_reached files_not_kept restore_failed worktree_missing worktree_failed worktree_base_missing worktree_base_incomplete tree_too_large repository_invalid cwd_missing git_missing git_failed restore_unavailable snapshot_damaged snapshot_missing","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["at","text","an event id; default: the head",0],["turn","number","instead of an event: the end of this turn, from 1; 0: before the first",0],["label","text","",0],["talkOnly","boolean","leave the files as they are",0]],{}]',
  "session.rewind":
    '["write","session.control","Move a session\'s head back to an event: files, artifacts and todo as of then; nothing is deleted","sandbox_floor session_not_found event_not_found turn_not_found session_busy session_ended quota_exceeded disk_low disk_full files_of_others files_not_kept restore_failed restore_unavailable snapshot_damaged snapshot_missing tree_missing tree_moved tree_too_large tree_unreadable","id to",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["to","text","an event id",0],["turn","number","instead of an event: the end of this turn, from 1; 0: before the first",0],["force","boolean","also over files that both the session and somebody else changed",0],["talkOnly","boolean","leave the files as they are",0]],{}]',
  "session.erase":
    '["write","session.erase","Erase the data of events for good; their headers stay, so the chain and old proofs still hold","session_not_found event_not_found session_busy not_erasable","id events",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["events","list!","",0],["reason","text","",0]],{}]',
  "session.offer":
    '["read","session.read","What a session\'s agent can be set to (modes, models, options), the commands it takes, and what was chosen","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.configure":
    '["write","session.control","Set a session\'s agent: mode, model, options, from its next turn on","sandbox_floor session_not_found session_ended unknown_mode unknown_model unknown_option invalid_option quota_exceeded disk_low","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["mode","text","the agent\'s mode",0],["model","text","the model it works with",0],["options","json","",0]],{}]',
  "session.list":
    '["read","session.list","The sessions, newest first","","",[["onlyAlive","boolean","",0],["limit","number","",0],["after","text","the `next` of the page before",0],["sort","text","`started` and `activity`: the latest first; `name` and `state`: from a to z",["started","activity","name","state"]],["workspaceSlug","text","only those of one workspace; `default`: of none",0]],{}]',
  "session.show":
    '["read","session.read","One session as it is now","session_not_found ambiguous_id","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.events":
    '["read","session.read","A session\'s events, by page: the raw stream, or the current path","session_not_found event_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["after","text","a `next`, a `seq`, an event id, or `now`; exclusive",0],["since","text","other hosts\' name for `after`",0],["limit","number","",0],["view","text","",["raw","path"]],["order","text","",["asc","desc"]],["types","list","only events of these types, with or without version",0],["turnId","text","",0]],{}]',
  "session.output":
    '["read","session.read","The last lines of what a session said and did","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["lastN","number","",0]],{}]',
  "session.wait":
    '["read","session.read","Wait until a session is free, or until one turn has ended","session_not_found turn_not_found wait_timeout","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["turnId","text","",0],["timeoutMs","number","",0]],{"succeeds":{"member":"turn.outcome","value":"completed"}}]',
  "session.search":
    '["read","session.list","Find sessions by what was said in them","overloaded","q",[["q","text!","",0],["limit","number","",0]],{}]',
  "session.stream":
    '["stream","session.read","Follow a session: lines, events, pieces of text, changes of state","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["after","text","a `next`, a `seq`, an event id, or `now`; exclusive",0],["since","text","other hosts\' name for `after`",0],["show","text","only lines, only events, or everything",["all","lines","events"]]],{}]',
  "session.delegates":
    '["read","session.read","Whom a session may start sessions of right now, and why not the others; by the gate\'s own predicate","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.snapshot":
    '["write","session.control","Keep a session\'s files as they are now, beside what is kept at each turn\'s end","overloaded session_not_found quota_exceeded disk_full disk_low tree_missing tree_moved tree_too_broad tree_too_large tree_unreadable","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.diff":
    '["read","session.read","What a turn really changed in the session\'s files, through the shell too","overloaded session_not_found ambiguous_id turn_not_found files_not_kept snapshot_missing snapshot_damaged","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["turn","text","its number, from 1, or its id; default: the running one, else the last",0]],{"print":"diff"}]',
  "session.siblings":
    '["read","session.siblings","The other sessions at work in the same directory or of the same family, each with its last note","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.note":
    '["write","session.note","Leave a note with a session, for its siblings and for people","session_not_found session_ended quota_exceeded disk_low","id text",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["text","text!","",0]],{}]',
  "session.ask":
    '["write","session.ask","Ask the person something from within a turn, and wait for the answer","session_not_found turn_not_running queue_full wait_timeout quota_exceeded disk_low","id question",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["question","text!","",0],["options","list","what may be answered; without any the answer is in the person\'s own words",0],["wait","boolean","false: answered at once, with the question still open",0],["timeoutMs","number","",0]],{}]',
  "session.handoff":
    '["read","session.read","What another agent needs to go on where a session is: task, state, todo, artifacts, last words","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "session.open":
    '["write","session.spawn","Open a session for an agent that runs already; it ends by `finish` or with the process","cwd_missing sandbox_floor invalid_request quota_exceeded disk_low limit_reached","pid",[["pid","number!","the agent\'s process",0],["startTime","text","its start time; read from the system when not given",0],["agent","text","",0],["cwd","text","",0],["label","text","",0]],{"paths":["cwd"],"here":{"member":"cwd","unless":[]}}]',
  "session.finish":
    '["write","session.report","An external agent\'s session is over","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["exitCode","number","",0],["error","text","it broke: what it said last",0]],{}]',
  "turn.begin":
    '["write","session.report","An external agent has begun a turn","session_not_found session_ended turn_open quota_exceeded disk_low","id input",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["input","text!","",0]],{}]',
  "turn.end":
    '["write","session.report","An external agent has ended its turn; saying it twice records it once","session_not_found turn_not_found","id turnId",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["turnId","text!","",0],["outcome","text","",["completed","failed","interrupted"]],["error","text","",0]],{}]',
  "turn.say":
    '["write","session.report","A complete message of a turn","session_not_found turn_ended turn_not_found quota_exceeded disk_low","id turnId text",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["turnId","text!","",0],["text","text!","",0],["role","text","",["assistant","thought"]]],{}]',
  "event.stream":
    '["stream","audit.read","Follow everything that happens","","",[["after","text","a `next`, a `seq`, an event id, or `now`; exclusive",0]],{}]',
  "event.show": '["read","audit.read","One event by its id","event_not_found","eventId",[["eventId","text!","",0]],{}]',
  "event.add":
    '["write","session.report","Add facts of your own making to a session, inside a running turn or beside it","session_not_found session_ended turn_ended turn_not_found quota_exceeded disk_low","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["turnId","text","",0],["events","json!","",0]],{}]',
  "artifact.list":
    '["read","session.read","The artifacts that a session sees, each at its current version","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "artifact.read":
    '["read","session.read","An artifact\'s bytes, current or of an earlier version","session_not_found artifact_not_found","id path",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["path","text!","",0],["version","number","",0]],{}]',
  "artifact.write":
    '["write","session.report","Write an artifact: a new path is version 1, a known one gets its next version","session_not_found session_ended turn_ended artifact_limit payload_too_large quota_exceeded disk_low","id path content",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["path","text!","",0],["content","text!","",0],["encoding","text","",["utf8","base64"]],["mediaType","text","",0],["turnId","text","",0]],{}]',
  "blob.read":
    '["read","blob.read","Bytes by their sha256, as events name them","artifact_not_found","sha256",[["sha256","text!","",0]],{}]',
  "todo.show":
    '["read","session.read","A session\'s todo list","session_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "todo.replace":
    '["write","session.report","Replace a session\'s todo list","session_not_found session_ended turn_ended todo_limit quota_exceeded disk_low","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["items","json!","",0],["turnId","text","",0]],{}]',
  "approval.list":
    '["read","approval.read","Questions that were put to a person","","",[["status","text","",["pending","all"]],["sessionId","text","",0]],{}]',
  "approval.approve":
    '["write","approval.answer","Allow what was asked: once, unless the option says more","approval_not_found already_answered invalid_option","approvalId option",[["approvalId","text!","",0],["option","text","one of the options; a question without any takes your own words",0]],{}]',
  "approval.reject":
    '["write","approval.answer","Refuse what was asked","approval_not_found already_answered","approvalId reason",[["approvalId","text!","",0],["reason","text","",0]],{}]',
  "agent.list": '["read","agent.read","The agents: every installed driver brings one of its name","","",[],{}]',
  "agent.show": '["read","agent.read","One agent","agent_not_found","slug",[["slug","text!","",0]],{}]',
  "agent.create":
    '["write","agent.write","Create an agent: a name, a driver, and what its tools may do without asking","agent_exists not_installed invalid_agent quota_exceeded disk_low","slug driver",[["slug","text!","",0],["name","text","",0],["driver","text!","",0],["tools","json","",0],["delegatesTo","list","the agents that its sessions may start sessions of; default: none",0]],{}]',
  "agent.delete":
    '["write","agent.write","Delete an agent; its slug is free again","agent_not_found agent_in_use","slug",[["slug","text!","",0]],{}]',
  "agent.default":
    '["write","agent.write","Choose the agent that is meant when none is named","agent_not_found quota_exceeded disk_low","slug",[["slug","text!","",0]],{}]',
  "workspace.list":
    '["read","workspace.read","The directories that have a name, and which of them is the active one","","",[],{}]',
  "workspace.add":
    '["write","workspace.write","Give a directory a name for sessions to work in; the first one becomes the active one","sandbox_floor cwd_missing cwd_hidden workspace_limit workspace_reserved quota_exceeded disk_low","slug path",[["slug","text!","",0],["path","text!","the directory",0],["label","text","",0]],{"paths":["path"]}]',
  "workspace.use":
    '["write","workspace.write","Make a workspace the active one: where a session works that names no place","workspace_not_found quota_exceeded disk_low","slug",[["slug","text!","",0]],{}]',
  "workspace.remove":
    '["write","workspace.write","Take a workspace\'s name away; the directory and its sessions stay","workspace_not_found","slug",[["slug","text!","",0]],{}]',
  "worktree.list": '["read","worktree.read","The worktrees of sessions, and who works in them","overloaded","",[],{}]',
  "worktree.show":
    '["read","worktree.read","One worktree, with all that would be lost without it","overloaded worktree_not_found git_missing","id",[["id","text!","",0]],{}]',
  "worktree.attach":
    '["write","session.spawn","Start a session in a worktree that was kept, to go on there","sandbox_floor worktree_not_found worktree_missing worktree_in_use not_installed cwd_missing payload_too_large quota_exceeded disk_low limit_reached","id adapter prompt",[["id","text!","",0],["adapter","text!","the driver",0],["prompt","text","at most 1048576 bytes",0],["label","text","",0]],{}]',
  "worktree.remove":
    '["write","worktree.write","Remove a worktree; refused with the list when it holds work that is nowhere else","worktree_not_found worktree_has_work worktree_in_use worktree_failed git_failed","id",[["id","text!","",0]],{}]',
  "worktree.gc":
    '["write","worktree.write","Remove every worktree that nobody works in and that holds no work","worktree_failed git_failed","",[],{}]',
  "driver.list": '["read","agent.read","The drivers there are, and which of them are installed","","",[],{}]',
  "driver.show":
    '["read","agent.read","One driver with its manifest","not_installed","slug",[["slug","text!","",0]],{}]',
  "driver.install":
    '["write","system.admin","Install an agent into the daemon\'s home, in the version its manifest names","sandbox_floor not_installed setup_required driver_failed invalid_request","slug",[["slug","text!","",0]],{}]',
  "driver.check":
    '["read","system.admin","Find an agent, look at its version, and let it introduce itself: no session, no model, no money","sandbox_floor not_installed invalid_request","slug",[["slug","text!","",0]],{}]',
  "driver.add":
    '["write","system.admin","Add an agent by its manifest, or replace one: no code, a file of a few lines","sandbox_floor invalid_request quota_exceeded disk_low","manifest",[["manifest","text!","the manifest, as JSON text",0]],{"files":["manifest"]}]',
  "driver.remove":
    '["write","system.admin","Take back a manifest that was added; one that comes with Nomos counts again","sandbox_floor","slug",[["slug","text!","",0]],{}]',
  "sandbox.explain":
    '["read","session.read","What a session can reach, and why: files, network, limits, and what it was refused","overloaded session_not_found sandbox_unavailable","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "sandbox.run":
    '["write","system.admin","Run a command behind the walls of `strict`, with one directory to write, to try them out","sandbox_floor cwd_missing cwd_hidden program_not_found program_hidden sandbox_unavailable sandbox_failed invalid_request call_outcome_unknown quota_exceeded disk_low","argv",[["argv","list!","the program and its arguments",0],["cwd","text!","the directory that it may write to",0],["network","json","",0],["timeoutMs","number","after this long it is ended; default 60000",0]],{"paths":["cwd"],"here":{"member":"cwd","unless":[]}}]',
  "audit.entries":
    '["read","audit.read","All events in global order, by page","event_not_found","",[["after","text","a `next`, a `seq`, an event id, or `now`; exclusive",0],["limit","number","",0],["types","list","only events of these types, with or without version",0]],{}]',
  "audit.verify":
    '["read","audit.read","Check every event\'s hashes and place, and the tree over the log against what was signed","overloaded","",[],{}]',
  "audit.checkpoint":
    '["read","audit.read","The newest signed checkpoint: a C2SP signed note, as text or, where JSON is asked for, with the key that verifies it","","",[],{}]',
  "audit.proof":
    '["read","audit.read","The proof that an event is in the log that was signed","event_not_found tile_missing","eventId",[["eventId","text!","",0]],{}]',
  "audit.consistency":
    '["read","audit.read","The proof that the log of today begins with the log of an earlier size","tile_missing","from to",[["from","number!","",0],["to","number","default: the newest checkpoint",0]],{}]',
  "audit.tile":
    '["read","audit.read","A tile of the tree, as C2SP tlog-tiles cuts it: up to 256 hashes of a level","tile_not_found tile_missing","level index",[["level","number!","",0],["index","number!","",0]],{}]',
  "audit.export":
    '["write","audit.export","Write the whole log out, as a folder or a .tar that anybody can verify without Nomos (`nomos-verify`)","export_exists export_refused sandbox_floor overloaded disk_full","to",[["to","text","absolute; default: in `exports` of the home",0]],{}]',
  "audit.agent":
    '["read","audit.read","What an agent\'s sessions did, in global order, by page; a page may be short although there is more","overloaded agent_not_found","id",[["id","text!","the agent\'s slug",0],["after","number","a `next` or a `seq`; exclusive",0],["limit","number","",0]],{}]',
  "system.status":
    '["read","system.read","The daemon: version, address, what it recovered, how much it holds","","",[],{}]',
  "system.metrics": '["read","system.read","What is measured, as Prometheus reads it","","",[],{}]',
  "system.doctor":
    '["read","system.read","Check the whole log byte by byte and the tree over it, and with `rebuild` the read models against it","overloaded log_corrupt","",[["rebuild","boolean","",0],["repair","boolean","",0]],{}]',
  "system.conformance":
    '["read","system.read","Which protocols this daemon speaks in full, and where it deviates from their text","","",[],{}]',
  "system.backup":
    '["write","system.backup","Copy the log, its blobs, the tree, the keys and the configuration into a new folder, while all goes on","backup_exists backup_refused sandbox_floor overloaded disk_full","to",[["to","text","absolute; default: in `backups` of the home",0]],{}]',
  "system.gc":
    '["write","system.gc","Move what sessions that ended long ago said and did out of the log into archives, and remove blobs that nobody names","overloaded disk_full","",[["maxAgeDays","number!","sessions that ended longer ago than this",0],["dryRun","boolean","only say what would go, and how many bytes",0],["discard","boolean","make no archive: the data is gone for good",0]],{}]',
  "system.shutdown":
    '["write","system.admin","Stop the daemon: turns end, every session is put to sleep, nothing is lost","","",[],{}]',
  "config.show": '["read","system.read","The configuration in force; what could be a secret is hidden","","",[],{}]',
  "config.set":
    '["write","system.admin","Change members of the configuration; null removes one, and what comes back hidden stays as it is","sandbox_floor invalid_request policy_too_large","",[["config","json!","",0]],{}]',
  "queue.list":
    '["read","queue.list","What waits for its turn anywhere, and why: turns of sessions and items of lanes with a limit","","",[["lane","text","only this lane; a session\'s is `session/<id>`",0],["limit","number","",0],["after","text","`next` of the page before",0]],{}]',
  "token.issue":
    '["write","token.admin","A new key with fewer rights than yours; its secret is shown this once","denied sandbox_floor quota_exceeded disk_low","capabilities",[["label","text","",0],["capabilities","list!","`session.read`, `session.*`, `*`",0],["sessionId","text","confine it to one session",0],["ttlMs","number","",0],["sandbox","text","the weakest sandbox it starts and drives sessions in; default: `strict`, or that of the session it is confined to. With `off` it acts with your rights",["off","warn","enforce","strict"]]],{}]',
  "token.list": '["read","token.admin","The keys that are valid now, without their secrets","","",[],{}]',
  "token.revoke":
    '["write","token.admin","Make a key useless for good, and every key that was issued with it","token_not_found token_revoked","tokenId",[["tokenId","text!","",0]],{}]',
  "permission.explain":
    '["read","permission.explain","What the gate would decide, and every rule that speaks; anybody may ask about themselves","principal_not_found","principal verb resource",[["principal","text!","`operator`, `role:NAME`, `agent:SLUG`, `session:ID`, `token:ID`, or `self`",0],["verb","text!","the permission of a syscall, `tool.KIND` or `agent.KIND`",0],["resource","text!","`system`, `session/ID`, ...; of a session\'s tools as from the session: `path/src/a.ts`",0]],{}]',
  "archive.read":
    '["read","session.read","What an archived session said and did, each event proved by what the log still has of it","overloaded session_not_found archive_not_found archive_invalid","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0],["after","number","a `next` or a `seq`; exclusive",0],["limit","number","",0]],{}]',
  "archive.verify":
    '["read","session.read","Check a session\'s archive, byte by byte, against what the log says of it","overloaded session_not_found archive_not_found","id",[["id","text!","session id, the beginning of one, or a name; `self` with the token of a session",0]],{}]',
  "doc.list": '["read","system.read","The pages of documentation that came with this version","","",[],{}]',
  "doc.read":
    '["read","system.read","One page of documentation","doc_not_found","path",[["path","text!","as `doc list` shows it",0]],{}]',
  "ws.ticket":
    '["read","system.read","Admission for one WebSocket, for a browser that cannot send a token with it; good once, for a moment","overloaded","",[],{}]',
};
