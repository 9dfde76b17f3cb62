/** Where the files of the law are. A `Governed` is one; so is a repository that gets its first law. */
export interface CommitPlace {
  readonly repoKey: string;
  readonly root: string | null;
  readonly commonDir: string;
  readonly branch: string;
  /** Where the files of `.nomos` lie in the branch; default: there. */
  readonly lawFolder?: string;
}

/** A path below `.nomos/` and its new bytes; null removes the file. */
export type FileChanges = ReadonlyMap<string, Uint8Array | string | null>;

/** The files as they are on the branch right now. */
export interface FilesNow {
  /** Null: the branch has no commit. */
  readonly tip: string | null;
  readonly read: (path: string) => Promise<Buffer | null>;
}

export interface FileCommit {
  readonly governed: CommitPlace;
  /** A function is asked anew whenever the branch has moved meanwhile, so that no edit of others is lost. */
  readonly changes: FileChanges | ((now: FilesNow) => Promise<FileChanges>);
  readonly message: string;
  /** Who did it, as the log names them. */
  readonly actor: string;
  readonly trailers?: readonly string[];
  /** Names the call that asked for it. Where a commit of that call is there already, none is made. */
  readonly call?: string;
  /** Default: as the person commits. */
  readonly author?: { readonly name: string; readonly email: string };
}

export interface FileCommitted {
  /** The branch's tip. */
  readonly commit: string;
  /** False: the files were so already. */
  readonly isNew: boolean;
  /** What the same call had changed before, when it is repeated. */
  readonly before?: readonly string[];
}
