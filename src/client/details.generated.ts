// Generated from the syscall table by `npm run docs`.
import type { SyscallTypes } from "./types.generated.ts";

export const DETAILS: { readonly [name in keyof SyscallTypes]: string } = {
  "session.start":
    '["write","session.spawn","Start a session with a driver, and with a first prompt if you give one","missing_adapter cwd_missing cwd_hidden path_outside workspace_not_found invalid_ground not_installed agent_version setup_required unknown_mode unknown_model unknown_option driver_file_invalid sandbox_unavailable sandbox_floor scope_invalid not_a_repository repository_invalid worktree_base_missing worktree_base_incomplete tree_too_large worktree_failed git_missing git_failed disk_full payload_too_large invalid_agent delegation_denied cwd_outside_parent max_depth_exceeded child_quota_exceeded quota_exceeded disk_low limit_reached","adapter prompt",[["adapter","text!","the driver; `driver list` shows all",0],["agent","text","the session\'s agent; default: the agent with the driver\'s name",0],["workspaceSlug","text","a workspace by its slug; older form of `ground`",0],["ground","text","where the session works: ws://workspaces/<slug>, followed by a path if needed",0],["cwd","text","the working directory, if you name no ground",0],["prompt","text","at most 1048576 bytes",0],["attachments","json","images, files and links; the turn is refused if the agent does not accept one of them",0],["mode","text","the agent\'s mode",0],["model","text","the agent\'s model",0],["options","json","",0],["label","text","",0],["title","text","default: the first line of the first prompt",0],["sandbox","text","",["off","warn","enforce","strict"]],["scope","json","paths the session may change, below the repository\'s root; implies a worktree",0],["network","json","",0],["worktree","boolean","work in a new worktree, made from the repository at `base`",0],["base","text","branch, tag or commit to make the worktree from; default: HEAD",0],["file","text","for the script driver: the TypeScript file to run",0]],{"paths":["cwd","file"],"here":{"member":"cwd","unless":["ground","workspaceSlug"]},"says":["Started {name} with {agent} in {cwd}.","{warnings|lines}","{notice}","Next: nomos attach {name}"]}]',
  "session.prompt":
    '["write","session.prompt","Send a session its next prompt; returns once the prompt is stored","sandbox_floor session_not_found session_busy session_ended session_suspended queue_full not_promptable quota_exceeded disk_low payload_too_large delegation_denied","id prompt",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["prompt","text!","at most 1048576 bytes",0],["queue","boolean","if the session is busy, queue the prompt",0],["interrupt","boolean","end the running turn first",0],["attachments","json","images, files and links; the turn is refused if the agent does not accept one of them",0]],{"says":[["queued",false,"{input.id} has the prompt."],["queued",true,"Queued: {input.id} takes the prompt when its turn has ended."],"Next: nomos logs -f {input.id}"]}]',
  "session.interrupt":
    '["write","session.prompt","End the running turn; the session stays alive","session_not_found not_interruptible","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":[["wasBusy",true,"Interrupted the turn of {input.id}. The session is ready for the next prompt."],["wasBusy",false,"{input.id} has no running turn."]]}]',
  "session.suspend":
    '["write","session.control","Suspend a session: its running turn ends, its queue waits until you resume it","session_not_found session_ended session_busy","id reason",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["reason","text","",0]],{"says":["Suspended {name}. Its queue waits.","Next: nomos session resume {name}"]}]',
  "session.resume":
    '["write","session.control","Resume a suspended session","sandbox_floor session_not_found session_ended session_not_suspended quota_exceeded disk_low","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":["Resumed {name}.","Next: nomos attach {name}"]}]',
  "session.hibernate":
    '["write","session.control","Hibernate an idle session: its processes end, and the next prompt wakes it","session_not_found session_ended session_busy","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":["Hibernated {name}. The next prompt wakes it."]}]',
  "session.kill":
    '["write","session.kill","End a session and its whole process tree","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["reason","text","",0]],{"says":[["ok",true,"Killed {input.id}. Its transcript and its files are kept."],["ok",true,"Next: nomos logs {input.id}, or nomos rm {input.id} to remove it"],["ok",false,"{input.id} had ended already."]]}]',
  "session.forget":
    '["write","session.control","Remove a session from every list, killing it first if needed; its events stay in the log","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":["Removed {input.id} from every list. Its events stay in the log."]}]',
  "session.prune":
    '["write","session.control","Forget every ended session, except those whose worktree holds work","overloaded","",[["olderThanMs","number","only sessions that ended at least this long ago",0],["label","text","only sessions with this label",0]],{"says":["Removed {forgotten.length|session} from every list. Their events stay in the log.",["forgotten.length",0,"No ended session to remove."],"Kept {kept.length|session}, for example because a worktree holds work. Next: nomos worktree list"]}]',
  "session.label":
    '["write","session.label","Set or remove a session\'s label","session_not_found quota_exceeded disk_low","id label",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["label","text!","",0]],{"says":["{name} is now labelled: {label}",["label",null,"{name} has no label now."]]}]',
  "session.rename":
    '["write","session.label","Give a session a title, or take it away","session_not_found quota_exceeded disk_low","id title",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["title","text!","",0]],{"says":["{name} is now called: {title}",["title",null,"{name} has no title now."]]}]',
  "session.fork":
    '["write","session.fork","Start a new session from an event of another one, with its own copy of the files at that event","sandbox_floor session_not_found event_not_found turn_not_found delegation_denied quota_exceeded disk_low disk_full limit_reached files_not_kept restore_failed worktree_missing worktree_failed worktree_base_missing worktree_base_incomplete tree_too_large repository_invalid cwd_missing git_missing git_failed restore_unavailable snapshot_damaged snapshot_missing","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["at","text","an event id; default: the head",0],["turn","number","instead of an event: the end of this turn, from 1; 0: before the first turn",0],["label","text","",0],["talkOnly","boolean","leave the files as they are",0]],{"says":["Forked {input.id} into {name} in {cwd}.","Next: nomos attach {name}"]}]',
  "session.rewind":
    '["write","session.control","Move a session back to an event, with its files, artifacts and todo; deletes nothing from the log","sandbox_floor session_not_found event_not_found turn_not_found session_busy session_ended quota_exceeded disk_low disk_full files_of_others files_not_kept restore_failed restore_unavailable snapshot_damaged snapshot_missing tree_missing tree_moved tree_too_large tree_unreadable","id to",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["to","text","an event id",0],["turn","number","instead of an event: the end of this turn, from 1; 0: before the first turn",0],["force","boolean","also overwrite files that both the session and others changed",0],["talkOnly","boolean","leave the files as they are",0]],{"says":["Rewound {name}. Nothing is deleted from the log.","Restored: {restored}","Removed: {removed}","Kept, because others changed them: {kept}","And {more|more file}.","Cannot be taken back: {irrevocable.length|effect} outside of the files, such as commands that ran.","Undo: {undo}"]}]',
  "session.erase":
    '["write","session.erase","Erase the data of events for good; their headers stay, so the chain and old proofs stay valid","session_not_found event_not_found session_busy not_erasable","id events",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["events","list!","",0],["reason","text","",0]],{"says":["Erased the data of {erased.length|event} for good. Old proofs stay valid."]}]',
  "session.offer":
    '["read","session.read","Show the modes, models, options and commands of a session\'s agent, and which are chosen","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "session.configure":
    '["write","session.control","Set mode, model and options of a session\'s agent, from its next turn on","sandbox_floor session_not_found session_ended unknown_mode unknown_model unknown_option invalid_option quota_exceeded disk_low","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["mode","text","the agent\'s mode",0],["model","text","the agent\'s model",0],["options","json","",0]],{"says":["{name} uses the new settings from its next turn on.","Next: nomos session offer {name} shows what is set"]}]',
  "session.list":
    '["read","session.list","List the sessions, newest first","","",[["onlyAlive","boolean","",0],["limit","number","",0],["after","text","the `next` of the previous page",0],["sort","text","`started` and `activity`: latest first; `name` and `state`: a to z",["started","activity","name","state"]],["workspaceSlug","text","only sessions of this workspace; `default`: sessions outside all workspaces",0]],{}]',
  "session.show":
    '["read","session.read","Show one session","session_not_found ambiguous_id","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"card":[["name","{name}"],["title","{title}"],["label","{label}"],["state","{state}"],["waiting for","{waitingFor}"],["agent","{agent}"],["driver","{adapterSlug}"],["folder","{cwd}"],["workspace","{workspaceSlug}"],["sandbox","{sandbox}"],["queued","{queued|prompt}"],["started","{startedAt|age}"],["last output","{lastOutputAt|age}"],["ended","{endedAt|age}"],["exit code","{exitCode}"],["error","{error.message} ({error.code})"],["started by","{parentSessionId}"],["forked from","{forkedFrom.sessionId}"],["tokens","{spent.input|count} in, {spent.output|count} out"],["cost","{spent.costUsd|dollars}"],["stored","{usage.events|event}, {usage.bytes|bytes}"],["archived","{archived.at|age}"],["archive","{archived.file}"],["id","{id}"]]}]',
  "session.events":
    '["read","session.read","List a session\'s events by page: the whole stream, or only its current path","session_not_found event_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["after","text","a `next`, a `seq`, an event id, or `now`; reading starts after it",0],["since","text","other hosts\' name for `after`",0],["limit","number","",0],["view","text","",["raw","path"]],["order","text","",["asc","desc"]],["types","list","only events of these types, with or without version",0],["turnId","text","",0]],{}]',
  "session.output":
    '["read","session.read","Show the last lines of a session\'s transcript","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["lastN","number","",0]],{}]',
  "session.wait":
    '["read","session.read","Wait until a session is idle, or until one turn has ended","session_not_found turn_not_found wait_timeout","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["turnId","text","",0],["timeoutMs","number","",0]],{"succeeds":{"member":"turn.outcome","value":"completed"},"says":["{session.name} is {session.state}.","The turn ended: {turn.outcome}.",["session.waitingFor","approval","It waits for an approval. Next: nomos approve {session.name}"]]}]',
  "session.search":
    '["read","session.list","Search the text of all sessions","overloaded","q",[["q","text!","",0],["limit","number","",0]],{}]',
  "session.stream":
    '["stream","session.read","Follow a session live: lines, events, partial text and state changes","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["after","text","a `next`, a `seq`, an event id, or `now`; reading starts after it",0],["since","text","other hosts\' name for `after`",0],["show","text","only lines, only events, or everything",["all","lines","events"]]],{}]',
  "session.watch":
    '["stream","audit.read","Follow all sessions: each as it is after a change, questions, and changes outside of sessions","","",[["after","text","a `next`, a `seq`, an event id, or `now`; reading starts after it",0]],{}]',
  "session.delegates":
    '["read","session.read","List the agents a session may start, and why the others are refused","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "session.snapshot":
    '["write","session.control","Take a snapshot of a session\'s files now, in addition to the one at each turn\'s end","overloaded session_not_found quota_exceeded disk_full disk_low tree_missing tree_moved tree_too_broad tree_too_large tree_unreadable","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":[["isNew",true,"Took the snapshot {snapshot}."],["isNew",false,"No file changed since the snapshot {snapshot}."],"It holds {files|file}, {bytes|bytes}."]}]',
  "session.turns":
    '["read","session.read","List a session\'s turns by number, as `rewind`, `fork` and `diff` take them","session_not_found ambiguous_id","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["after","number","the `next` of the previous page",0],["limit","number","",0]],{}]',
  "session.diff":
    '["read","session.read","Show which files a turn changed, including changes made through the shell","overloaded session_not_found ambiguous_id turn_not_found files_not_kept snapshot_missing snapshot_damaged","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["turn","text","number of the turn, from 1, or its id; default: the running turn, else the last",0],["binary","boolean","also give binary files and control characters, as git\'s binary patch",0]],{"print":"diff"}]',
  "session.siblings":
    '["read","session.siblings","List living sessions with the same directory, parent or fork root, each with its last note","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "session.note":
    '["write","session.note","Leave a note on a session for its siblings and for people","session_not_found session_ended quota_exceeded disk_low","id text",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["text","text!","",0]],{"says":["Left the note on {input.id}.","Next: nomos session siblings {input.id} shows the notes of all"]}]',
  "session.ask":
    '["write","session.ask","Ask a person a question from within a turn, and wait for the answer","session_not_found turn_not_running queue_full wait_timeout quota_exceeded disk_low","id question",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["question","text!","",0],["options","list","the allowed answers; without options the person answers in their own words",0],["wait","boolean","false: return at once and leave the question open",0],["timeoutMs","number","",0]],{"says":["The question {approvalId} is {status}.","Answer: {answer}",["status","pending","Next: nomos approve {approvalId}"]]}]',
  "session.handoff":
    '["read","session.read","Write a handoff with which another agent can continue: task, state, todo, artifacts, last messages","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "session.open":
    '["write","session.spawn","Open a session for an agent that already runs; it ends by `finish` or with the agent\'s process","cwd_missing sandbox_floor invalid_request quota_exceeded disk_low limit_reached","pid",[["pid","number!","the agent\'s process id",0],["startTime","text","the start time of the process; default: read from the system",0],["agent","text","",0],["cwd","text","",0],["label","text","",0]],{"paths":["cwd"],"here":{"member":"cwd","unless":[]},"says":["{name} records the process {input.pid}.","Next: nomos logs -f {name}"]}]',
  "session.finish":
    '["write","session.report","Report that an external agent\'s session has ended","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["exitCode","number","",0],["error","text","the last error, if the agent failed",0]],{"says":["{name} has ended. Its transcript is kept.","Next: nomos logs {name}"]}]',
  "turn.begin":
    '["write","session.report","Report that an external agent has begun a turn","session_not_found session_ended turn_open quota_exceeded disk_low","id input",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["input","text!","",0]],{"says":["Began the turn {turnId}."]}]',
  "turn.end":
    '["write","session.report","Report that an external agent has ended its turn; a repeated report changes nothing","session_not_found turn_not_found","id turnId",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["turnId","text!","",0],["outcome","text","",["completed","failed","interrupted"]],["error","text","",0]],{"says":["Ended the turn {turnId}."]}]',
  "turn.say":
    '["write","session.report","Report a complete message of a turn","session_not_found turn_ended turn_not_found quota_exceeded disk_low","id turnId text",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["turnId","text!","",0],["text","text!","",0],["role","text","",["assistant","thought"]]],{"says":["Recorded {ids.length|message}: {ids}"]}]',
  "event.stream":
    '["stream","audit.read","Follow all events of the log","","",[["after","text","a `next`, a `seq`, an event id, or `now`; reading starts after it",0]],{}]',
  "event.show":
    '["read","audit.read","Show one event by its id","event_not_found","eventId",[["eventId","text!","",0]],{}]',
  "event.add":
    '["write","session.report","Add custom facts to a session, inside or outside a running turn","session_not_found session_ended turn_ended turn_not_found quota_exceeded disk_low","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["turnId","text","",0],["events","json!","",0]],{"says":["Recorded {ids.length|event}: {ids}"]}]',
  "artifact.list":
    '["read","session.read","List a session\'s artifacts, each at its current version","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "artifact.read":
    '["read","session.read","Read an artifact, at its current or an earlier version","session_not_found artifact_not_found","id path",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["path","text!","",0],["version","number","",0]],{}]',
  "artifact.write":
    '["write","session.report","Write an artifact: a new path starts at version 1, a known path gets the next version","session_not_found session_ended turn_ended artifact_limit payload_too_large quota_exceeded disk_low","id path content",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["path","text!","",0],["content","text!","",0],["encoding","text","",["utf8","base64"]],["mediaType","text","",0],["turnId","text","",0]],{"says":["Wrote {path}, version {version}.","Next: nomos artifact read {input.id} {path}"]}]',
  "blob.read":
    '["read","blob.read","Read a blob by its sha256","artifact_not_found","sha256",[["sha256","text!","",0]],{}]',
  "todo.show":
    '["read","session.read","Show a session\'s todo list","session_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "todo.replace":
    '["write","session.report","Replace a session\'s todo list","session_not_found session_ended turn_ended todo_limit quota_exceeded disk_low","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["items","json!","",0],["turnId","text","",0]],{"says":["The todo list of {input.id} has {items.length|item}.",["items.length",0,"The todo list of {input.id} is empty."]]}]',
  "approval.list":
    '["read","approval.read","List the questions put to a person","session_not_found ambiguous_id","",[["status","text","",["pending","all"]],["sessionId","text","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "approval.show":
    '["read","approval.read","Show a question, with all that it is about","approval_not_found ambiguous_id","approvalId",[["approvalId","text!","its id, the beginning of it, or its session if that has one open question",0]],{}]',
  "approval.approve":
    '["write","approval.answer","Approve a question: once, unless the option says otherwise","approval_not_found ambiguous_id already_answered invalid_option","approvalId option",[["approvalId","text!","its id, the beginning of it, or its session if that has one open question",0],["option","text","one of the options; if the question has none, your own words",0]],{"says":["Approved: {question}","Next: nomos logs -f {sessionId}"]}]',
  "approval.reject":
    '["write","approval.answer","Reject a question","approval_not_found ambiguous_id already_answered","approvalId reason",[["approvalId","text!","its id, the beginning of it, or its session if that has one open question",0],["reason","text","",0]],{"says":["Rejected: {question}","Next: nomos logs -f {sessionId}"]}]',
  "agent.list":
    '["read","agent.read","List the agents; every installed driver brings one of its own name","","",[],{}]',
  "agent.show": '["read","agent.read","Show one agent","agent_not_found","slug",[["slug","text!","",0]],{}]',
  "agent.create":
    '["write","agent.write","Create an agent: a name, a driver, and what its tools may do without asking","agent_exists not_installed invalid_agent quota_exceeded disk_low","slug driver",[["slug","text!","",0],["name","text","",0],["driver","text!","",0],["tools","json","",0],["delegatesTo","list","agents that its sessions may delegate to; default: none",0]],{"says":["Created the agent {slug} with the driver {driver}.","Next: nomos run -a {slug} \\"prompt\\""]}]',
  "agent.delete":
    '["write","agent.write","Delete an agent; its slug can be used again","agent_not_found agent_in_use","slug",[["slug","text!","",0]],{"says":["Deleted the agent {slug}."]}]',
  "agent.default":
    '["write","agent.write","Set the default agent, used when a call names none","agent_not_found quota_exceeded disk_low","slug",[["slug","text!","",0]],{"says":["{slug} is the default agent.","Next: nomos run \\"prompt\\""]}]',
  "workspace.list": '["read","workspace.read","List the workspaces and show which one is active","","",[],{}]',
  "workspace.add":
    '["write","workspace.write","Register a directory as a workspace; the first one becomes active","sandbox_floor cwd_missing cwd_hidden workspace_limit workspace_reserved quota_exceeded disk_low","slug path",[["slug","text!","",0],["path","text!","the directory",0],["label","text","",0]],{"paths":["path"],"says":["{slug} is the workspace {path}.",["active",true,"It is the active one."],["active",false,"Next: nomos workspace use {slug}"]]}]',
  "workspace.use":
    '["write","workspace.write","Make a workspace active: sessions that name no place work there","workspace_not_found quota_exceeded disk_low","slug",[["slug","text!","",0]],{"says":["{slug} is the active workspace: {path}"]}]',
  "workspace.remove":
    '["write","workspace.write","Remove a workspace from the registry; its directory and sessions stay","workspace_not_found","slug",[["slug","text!","",0]],{"says":["Removed the workspace {slug}. Its files stay."]}]',
  "worktree.list":
    '["read","worktree.read","List the worktrees and the sessions that work in them","overloaded","",[],{}]',
  "worktree.show":
    '["read","worktree.read","Show one worktree and the work that would be lost with it","overloaded worktree_not_found git_missing","id",[["id","text!","",0]],{}]',
  "worktree.path":
    '["read","worktree.read","Print the path of a session\'s worktree","session_not_found ambiguous_id worktree_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":["{path}"]}]',
  "worktree.apply":
    '["write","worktree.write","Bring a session\'s work home: into the files of the repository that its worktree was made from","session_not_found ambiguous_id session_busy worktree_not_found worktree_missing worktree_conflicts not_a_repository repository_invalid tree_too_large worktree_failed git_failed git_missing disk_full overloaded sandbox_floor","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["dryRun","boolean","only say what would change, and what is in conflict",0]],{"says":[["dryRun",false,"Brought {applied.length|file} home into {repository}. Next: git diff"],["dryRun",true,"Would bring {applied.length|file} home into {repository}."],"{applied|lines}",["applied.length",0,"Nothing to bring home: {repository} has it all."],"In conflict with your changes: {conflicts.length|file}","{conflicts|lines}","Repositories that stay in the worktree: {nested}"]}]',
  "worktree.attach":
    '["write","session.spawn","Start a session in an existing worktree, to continue there","sandbox_floor worktree_not_found worktree_missing worktree_in_use not_installed cwd_missing payload_too_large quota_exceeded disk_low limit_reached","id adapter prompt",[["id","text!","",0],["adapter","text!","the driver",0],["prompt","text","at most 1048576 bytes",0],["label","text","",0]],{"says":["Started {name} with {agent} in the worktree {cwd}.","Next: nomos attach {name}"]}]',
  "worktree.remove":
    '["write","worktree.write","Remove a worktree; refused if it holds work that exists nowhere else","worktree_not_found worktree_has_work worktree_in_use worktree_failed git_failed","id",[["id","text!","",0]],{"says":["Removed the worktree {input.id}."]}]',
  "worktree.gc":
    '["write","worktree.write","Remove every worktree that no session uses and that holds no work","worktree_failed git_failed","",[],{"says":["Removed {removed.length|worktree}.",["removed.length",0,"No worktree could be removed."],"Kept {kept.length|worktree}: a session uses it, or it holds work. Next: nomos worktree list"]}]',
  "driver.list": '["read","agent.read","List all drivers and show which are installed","","",[],{}]',
  "driver.show":
    '["read","agent.read","Show one driver with its manifest","not_installed","slug",[["slug","text!","",0]],{}]',
  "driver.install":
    '["write","system.admin","Install an agent into the daemon\'s home, in the version its manifest names","sandbox_floor not_installed setup_required driver_failed invalid_request","slug",[["slug","text!","",0]],{"says":["Installed {slug} ({manifest.install.0.packages}) in {took}.","Next: nomos run -a {slug} \\"prompt\\""]}]',
  "driver.check":
    '["read","system.admin","Find an agent, check its version and start it briefly; starts no session and calls no model","sandbox_floor not_installed invalid_request","slug",[["slug","text!","",0]],{"says":[["ok",true,"{slug} works: {command|words}"],"Version {version}.",["ok",true,"Next: nomos run -a {slug} \\"prompt\\""],"{problem.message}","Next: {problem.steps}"]}]',
  "driver.add":
    '["write","system.admin","Add or replace a foreign agent by its manifest, a short JSON file","sandbox_floor invalid_request quota_exceeded disk_low","manifest",[["manifest","text!","the manifest, as JSON text",0]],{"files":["manifest"],"says":["Added the driver {slug}.","Next: nomos driver check {slug}"]}]',
  "driver.remove":
    '["write","system.admin","Remove a manifest you added; a built-in manifest of the same name applies again","sandbox_floor","slug",[["slug","text!","",0]],{"says":["Removed the manifest of {slug}."]}]',
  "sandbox.explain":
    '["read","session.read","Show the files and network a session can reach, its limits, and what it was refused","overloaded session_not_found sandbox_unavailable","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{}]',
  "sandbox.run":
    '["write","system.admin","Run a command in a `strict` sandbox that can write to one directory, to try the sandbox out","sandbox_floor cwd_missing cwd_hidden program_not_found program_hidden sandbox_unavailable sandbox_failed invalid_request call_outcome_unknown quota_exceeded disk_low","argv",[["argv","list!","the program and its arguments",0],["cwd","text!","the one directory that the command may write to",0],["network","json","",0],["timeoutMs","number","the command is ended after this time; default 60000",0]],{"paths":["cwd"],"here":{"member":"cwd","unless":[]}}]',
  "audit.entries":
    '["read","audit.read","List all events in global order, by page","event_not_found","",[["after","text","a `next`, a `seq`, an event id, or `now`; reading starts after it",0],["limit","number","",0],["types","list","only events of these types, with or without version",0],["order","text","`desc`: newest first, and `after` goes towards the oldest",["asc","desc"]],["stream","text","only events of this stream, such as `session/<id>` or `system`",0],["actor","text","only events of this actor; a short page may not be the last",0],["from","text","begin at the first event that is not older than this time",0],["until","text","end before the first event that is not older than this time",0]],{}]',
  "audit.verify":
    '["read","audit.read","Check the hashes and position of every event, and the tree against its signed checkpoint","overloaded","",[],{"says":[["ok",true,"The log is intact: {size|event}."],["ok",false,"The log is damaged: {problems.length|problem}."],"{problems|lines}","Root {root}."]}]',
  "audit.checkpoint":
    '["read","audit.read","Show the newest signed checkpoint as a C2SP signed note; as JSON, also the key that verifies it","","",[],{}]',
  "audit.proof":
    '["read","audit.read","Prove that an event is in the signed log","event_not_found tile_missing","eventId",[["eventId","text!","",0]],{}]',
  "audit.consistency":
    '["read","audit.read","Prove that the log still begins with the events it had at an earlier size","tile_missing","from to",[["from","number!","",0],["to","number","default: the newest checkpoint",0]],{}]',
  "audit.tile":
    '["read","audit.read","Read one tile of the tree (C2SP tlog-tiles): up to 256 hashes of a level","tile_not_found tile_missing","level index",[["level","number!","",0],["index","number!","",0]],{}]',
  "audit.export":
    '["write","audit.export","Export the whole log as a folder or a .tar; `nomos-verify` checks it without Nomos","export_exists export_refused sandbox_floor overloaded disk_full","to",[["to","text","an absolute path; default: in `exports` of the home",0]],{"says":["Exported {size|event} to {path}.","Next: copy the folder to another machine and verify it there"]}]',
  "audit.agent":
    '["read","audit.read","List the events of an agent\'s sessions in global order, by page; a short page may not be the last","overloaded agent_not_found","id",[["id","text!","the agent\'s slug",0],["after","number","a `next` or a `seq`; the page starts after it",0],["limit","number","",0],["order","text","`desc`: newest first, and `after` goes towards the oldest",["asc","desc"]]],{}]',
  "system.status":
    '["read","system.read","Show the daemon\'s version, address, recovery results, and use of sessions and storage","","",[],{}]',
  "system.metrics": '["read","system.read","Show the metrics in the Prometheus text format","","",[],{}]',
  "system.doctor":
    '["read","system.read","Check every byte of the log and its tree; with `rebuild`, also compare the read models with the log","overloaded log_corrupt","",[["rebuild","boolean","",0],["repair","boolean","",0]],{}]',
  "system.conformance":
    '["read","system.read","List the protocols this daemon implements and where it deviates from them","","",[],{}]',
  "system.backup":
    '["write","system.backup","Back up the log, blobs, tree, keys and configuration into a new folder while the daemon runs","backup_exists backup_refused sandbox_floor overloaded disk_full","to",[["to","text","an absolute path; default: in `backups` of the home",0]],{"says":["Backed up {size|event} to {path}, {bytes|bytes} in {took}.","With {blobs|blob}.","Missing already before: {missingBlobs|blob} that events name.","Next: nomos restore {path}, in an empty home"]}]',
  "system.gc":
    '["write","system.gc","Move the data of sessions that ended long ago into archives, and remove unused blobs","overloaded disk_full","",[["maxAgeDays","number!","archive sessions that ended more than this many days ago",0],["dryRun","boolean","only report what would be removed, and how many bytes",0],["discard","boolean","make no archive: the data is lost for good",0]],{"says":[["dryRun",true,"Dry run: nothing was changed."],["sessions.length",0,"No session is old enough."],["dryRun",true,"Would archive {sessions.length|session}: {events|event}, {bytes|bytes}."],["dryRun",false,"Archived {sessions.length|session}: {events|event}, {bytes|bytes}."],["dryRun",true,"Would remove {blobs|blob}, {blobBytes|bytes}."],["dryRun",false,"Removed {blobs|blob}, {blobBytes|bytes}."],"Kept {needed.length|old session}, because a fork needs it.",["more",true,"Not done yet. Next: the same command again"]]}]',
  "system.activity":
    '["read","system.read","Sum up turns, tokens and cost by time, agent, workspace and model","overloaded","",[["since","text","default: a day before `until`; at most 92 days before it",0],["until","text","default: now",0],["step","text","minutes that are one sum; 15 suits every time zone",0],["after","number","the `next` of the part before, with the same times",0]],{}]',
  "system.log":
    '["read","system.log","Show the daemon\'s own log by page, newest lines first","","",[["limit","number","",0],["before","text","",0],["onlyProblems","boolean","leave out lines that tell of no problem",0]],{}]',
  "system.backups":
    '["read","system.read","List the backups that this log tells of, newest first, and whether they are still there","","",[["limit","number","",0]],{}]',
  "system.shutdown":
    '["write","system.admin","Stop the daemon: running turns end and every session hibernates; nothing is lost","","",[],{"says":["The daemon ends (pid {pid})."]}]',
  "config.show": '["read","system.read","Show the configuration in force, with possible secrets hidden","","",[],{}]',
  "config.explain":
    '["read","system.read","Show settings with the value in force, its default and where it comes from","unknown_setting","key",[["key","text","a setting, such as `limits.homeBytes`; default: all of them",0]],{}]',
  "config.set":
    '["write","system.admin","Change members of the configuration; null removes a member, a hidden value stays unchanged","sandbox_floor invalid_request policy_too_large","",[["config","json!","",0]],{"says":["Changed the configuration.","Takes effect after `nomos restart`: {restart}"]}]',
  "queue.list":
    '["read","queue.list","List everything that is queued and why it waits: turns of sessions, items of limited lanes","","",[["lane","text","only this lane; a session\'s is `session/<id>`",0],["limit","number","",0],["after","text","`next` of the previous page",0]],{}]',
  "token.issue":
    '["write","token.admin","Issue a token with fewer rights than yours; its secret is shown only once","denied sandbox_floor quota_exceeded disk_low","capabilities",[["label","text","",0],["capabilities","list!","`session.read`, `session.*`, `*`",0],["sessionId","text","limit the token to this session",0],["ttlMs","number","",0],["sandbox","text","the weakest sandbox mode the token may use; default: `strict`, or the mode of the session it is limited to. With `off` it acts with your rights",["off","warn","enforce","strict"]]],{"says":["Issued the token {tokenId} for {capabilities}.","Secret, shown only now: {secret}",["secret",null,"Its secret was shown when it was issued."]]}]',
  "token.list": '["read","token.admin","List the valid tokens, without their secrets","","",[],{}]',
  "token.revoke":
    '["write","token.admin","Revoke a token for good, and every token that was issued with it","token_not_found token_revoked","tokenId",[["tokenId","text!","",0]],{"says":["Revoked {tokenId} and every token issued with it."]}]',
  "permission.explain":
    '["read","permission.explain","Show what the gate would decide and which rules apply; every caller may ask about itself","principal_not_found","principal verb resource",[["principal","text!","`operator`, `role:NAME`, `agent:SLUG`, `session:ID`, `token:ID`, or `self`",0],["verb","text!","the permission of a syscall, `tool.KIND` or `agent.KIND`",0],["resource","text!","`system`, `session/ID`, ...; for a session\'s tools relative to the session: `path/src/a.ts`",0]],{}]',
  "archive.read":
    '["read","session.read","Read the events of an archived session, each checked against its hash in the log","overloaded session_not_found archive_not_found archive_invalid","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0],["after","number","a `next` or a `seq`; reading starts after it",0],["limit","number","",0]],{}]',
  "archive.verify":
    '["read","session.read","Check every byte of a session\'s archive against the hashes in the log","overloaded session_not_found archive_not_found","id",[["id","text!","a session\'s id or name, the beginning of either, or its title; `self` with the token of a session",0]],{"says":[["ok",true,"The archive {file} is intact: {events|event}."],["ok",false,"The archive {file} is damaged: {problem}"]]}]',
  "doc.list": '["read","system.read","List the documentation pages of this version","","",[],{}]',
  "doc.read":
    '["read","system.read","Show one documentation page","doc_not_found","path",[["path","text!","a path from `doc list`",0]],{}]',
  "ws.ticket":
    '["read","system.read","Issue a pass that opens one WebSocket once, within 30 seconds, for browsers that cannot send a token","overloaded","",[],{}]',
  "dashboard.open":
    '["write","dashboard.open","Issue a link that signs one browser or phone in to the dashboard, once, within ten minutes","denied overloaded public_url_missing","",[["for","text","`phone`: by the address in `publicUrl`, to watch and approve; default: `browser`",["browser","phone"]],["label","text","names the sign-in in `nomos token list`",0],["capabilities","list","default for a browser: yours; for a phone: to read, answer, prompt and interrupt",0],["ttlMs","number","how long the browser stays signed in; default: 30 days",0]],{"says":["{url}","Works once, until {expiresAt}."]}]',
  "dashboard.enter":
    '["write","dashboard.enter","Sign a browser in with a link; the link is used up","link_invalid unauthorized quota_exceeded disk_low","link",[["link","text","default: the bearer of this call",0]],{"says":["Signed {label} in as the token {tokenId}."]}]',
  "dashboard.leave":
    '["write","dashboard.leave","Sign this browser out: its token is revoked","token_revoked","",[],{"says":[["tokenId",null,"You are not signed in by a link."],"Revoked {tokenId}."]}]',
};
