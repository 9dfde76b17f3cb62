import { type AttemptGroup, sh } from "../attempt.ts";

const REPOSITORY = `
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q r && cd r && git commit -q --allow-empty -m one && export W="touch $T"`;
const git = (text: string) => `${REPOSITORY}\n${text}`;

export const GIT: AttemptGroup = {
  id: "git",
  title: "By git",
  attempts: [
    sh(
      "hook",
      "a hook",
      "planted",
      git(
        `printf '#!/bin/sh\\n%s' "$W" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git commit -q --allow-empty -m x`,
      ),
    ),
    sh(
      "hooks-path",
      "hooks that lie outside",
      "planted",
      git(`git -c core.hooksPath="$D/hooks" commit -q --allow-empty -m x`),
    ),
    sh(
      "fsmonitor",
      "a file system monitor",
      "planted",
      git(`printf '#!/bin/sh\\n%s' "$W" > m; chmod +x m; git config core.fsmonitor "$PWD/m"; git status`),
    ),
    sh(
      "filter-clean",
      "a clean filter",
      "planted",
      git(`echo '* filter=x' > .gitattributes; git config filter.x.clean "$W; cat"; echo 1 > f; git add f`),
    ),
    sh(
      "filter-smudge",
      "a smudge filter",
      "planted",
      git(
        `echo '* filter=x' > .gitattributes; echo 1 > f; git add .; git commit -qm x; git config filter.x.smudge "$W; cat"; rm f; git checkout f`,
      ),
    ),
    sh(
      "filter-process",
      "a long-running filter",
      "planted",
      git(`echo '* filter=x' > .gitattributes; git config filter.x.process "$W; true"; echo 1 > f; git add f`),
    ),
    sh(
      "textconv",
      "a converter for diffs",
      "planted",
      git(
        `echo '* diff=x' > .gitattributes; echo 1 > f; git add .; git commit -qm x; echo 2 > f; git config diff.x.textconv "$W; cat"; git diff | cat`,
      ),
    ),
    sh(
      "external-diff",
      "a program for diffs",
      "planted",
      git(`echo 1 > f; git add .; git commit -qm x; echo 2 > f; GIT_EXTERNAL_DIFF="sh -c '$W'" git diff`),
    ),
    sh(
      "merge-driver",
      "a merge driver",
      "planted",
      git(`
echo '* merge=x' > .gitattributes; echo 1 > f; git add .; git commit -qm x; git checkout -qb b; echo 2 > f; git commit -qam y
git checkout -q -; echo 3 > f; git commit -qam z; git config merge.x.driver "$W; true"; git merge -q b`),
    ),
    sh("alias", "an alias that is a command", "planted", git(`git -c alias.x="!$W" x`)),
    sh(
      "pager",
      "a pager",
      "planted",
      git(
        `GIT_PAGER="sh -c '$W'" git -c core.pager="sh -c '$W'" --paginate log; git -c core.editor="$W #" commit --allow-empty`,
      ),
    ),
    sh("editor", "an editor", "planted", git(`git -c core.editor="$W #" commit --allow-empty --amend`)),
    sh(
      "ext",
      "a transport that is a command",
      "planted",
      git(`git -c protocol.ext.allow=always ls-remote "ext::sh -c touch% $T"`),
    ),
    sh(
      "ssh-command",
      "a command instead of ssh",
      "planted",
      git(`GIT_SSH_COMMAND="$W; false" git ls-remote ssh://x.test/y`),
    ),
    sh(
      "credential-helper",
      "a helper for passwords",
      "planted",
      git(`printf 'host=x\\nprotocol=https\\n\\n' | git -c credential.helper="!$W;" credential fill`),
    ),
    sh(
      "rebase-exec",
      "a command in a rebase",
      "planted",
      git(`git commit -q --allow-empty -m two; git rebase -q --exec "$W" HEAD~1`),
    ),
    sh(
      "bisect-run",
      "a command in a bisection",
      "planted",
      git(
        `git commit -q --allow-empty -m two; git commit -q --allow-empty -m three; git bisect start HEAD HEAD~2; git bisect run sh -c "$W"`,
      ),
    ),
    sh(
      "submodule-update",
      "an update of a submodule that is a command",
      "planted",
      git(`
git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git -c protocol.file.allow=always submodule --quiet add ../../../sub sub || git -c protocol.file.allow=always submodule --quiet add "$PWD/../sub" sub
git config submodule.sub.update "!$W #"; git -C sub commit -q --allow-empty -m t; git add sub; git -C sub checkout -q HEAD~1; git submodule update`),
    ),
    sh(
      "submodule-outside",
      "a submodule whose source lies outside",
      "secret",
      git(`git -c protocol.file.allow=always submodule --quiet add "$OTHER" other; cat other/secret`),
    ),
    sh("clone", "a clone of a repository outside", "secret", git(`git clone -q "$OTHER" c; cat c/secret`)),
    sh(
      "clone-shared",
      "a clone that shares its objects",
      "secret",
      git(`git clone -q --shared "$OTHER" c; git -C c show HEAD:secret`),
    ),
    sh(
      "fetch",
      "a fetch from a repository outside",
      "secret",
      git(`git fetch -q "$OTHER"; git show FETCH_HEAD:secret`),
    ),
    sh(
      "alternates",
      "objects that lie outside",
      "secret",
      git(`echo "$OTHER/.git/objects" > .git/objects/info/alternates; git cat-file -p "$OTHER_BLOB"`),
    ),
    sh(
      "alternates-variable",
      "another repository's objects, by a variable",
      "secret",
      git(`GIT_ALTERNATE_OBJECT_DIRECTORIES="$OTHER/.git/objects" git cat-file -p "$OTHER_BLOB"`),
    ),
    sh(
      "object-directory",
      "another object directory",
      "secret",
      git(`GIT_OBJECT_DIRECTORY="$OTHER/.git/objects" git cat-file -p "$OTHER_BLOB"`),
    ),
    sh("git-dir", "another git directory, by a variable", "secret", git(`GIT_DIR="$OTHER/.git" git show HEAD:secret`)),
    sh(
      "git-file",
      "another git directory, by a file",
      "secret",
      git(`mkdir x; echo "gitdir: $OTHER/.git" > x/.git; git -C x show HEAD:secret`),
    ),
    sh(
      "common-dir",
      "another common directory",
      "secret",
      git(`mkdir x; echo "$OTHER/.git" > x/commondir; cp .git/HEAD x/HEAD; GIT_DIR=x git show "$OTHER_BLOB"`),
    ),
    sh(
      "upload-pack",
      "the server's side of git",
      "secret",
      git(`git clone -q --upload-pack "git-upload-pack" "file://$OTHER" c; cat c/secret`),
    ),
    sh("no-index", "a diff with a file outside", "secret", git(`git diff --no-index /dev/null "$S"`)),
    sh(
      "grep",
      "a search outside",
      "secret",
      git(`git grep --no-index -h secret- -- "$S" || (cd "$D" && git grep --no-index -h secret-)`),
    ),
    sh(
      "hash-object",
      "a file outside as an object",
      "secret",
      git(`git cat-file -p "$(git hash-object -w --no-filters "$S")"`),
    ),
    sh(
      "blame",
      "a file outside as contents",
      "secret",
      git(`echo 1 > f; git add f; git commit -qm x; git blame --contents "$S" f`),
    ),
    sh(
      "link-checkout",
      "a link in the tree, and a file below it",
      "planted",
      git(`ln -s "$D" way; git add way; git commit -qm x; rm way; git checkout -q way; echo x > "way/$P"`),
    ),
    sh("push", "a push into a repository outside", "planted", git(`git push -q "$OTHER" "HEAD:refs/heads/$P"`)),
    sh(
      "update-ref",
      "a reference of a repository outside",
      "planted",
      git(`git --git-dir="$OTHER/.git" update-ref "refs/heads/$P" HEAD`),
    ),
    sh(
      "outer-config",
      "the configuration of a repository outside",
      "planted",
      git(`git --git-dir="$OTHER/.git" config core.fsmonitor "$P"`),
    ),
    sh("outer-hook", "a hook in a repository outside", "planted", git(`echo "$P" > "$OTHER/.git/hooks/post-commit"`)),
    sh("worktree", "a worktree outside", "planted", git(`git worktree add -q "$T"`)),
    sh("separate-dir", "a git directory outside", "planted", git(`git init -q --separate-git-dir "$T" y`)),
    sh("archive", "an archive outside", "planted", git(`git archive --output="$T" HEAD`)),
    sh("bundle", "a bundle outside", "planted", git(`git bundle create -q "$T" HEAD`)),
    sh(
      "format-patch",
      "patches outside",
      "planted",
      git(
        `git commit -q --allow-empty -m x; echo 1 > f; git add f; git commit -qm y; git format-patch -q -o "$T" HEAD~1`,
      ),
    ),
    sh("index-file", "an index outside", "planted", git(`echo 1 > f; GIT_INDEX_FILE="$T" git add f`)),
    sh("trace", "a trace outside", "planted", git(`GIT_TRACE="$T" git status`)),
    sh(
      "work-tree",
      "a tree to check out that lies outside",
      "planted",
      git(`echo 1 > "$P"; git add .; git commit -qm x; git --work-tree="$D" checkout -f HEAD -- "$P"`),
    ),
    sh(
      "apply",
      "a patch with an unsafe path",
      "planted",
      git(`
printf 'diff --git a/x b/x\\nnew file mode 100644\\n--- /dev/null\\n+++ b/../../../../outside/%s\\n@@ -0,0 +1 @@\\n+x\\n' "$P" > p; git apply --unsafe-paths -p1 p; cd .. && git apply --unsafe-paths r/p; (cd / && git apply --unsafe-paths --directory "$D" -p6 "$OLDPWD/r/p")`),
    ),
    sh(
      "fast-import",
      "marks of an import, outside",
      "planted",
      git(`printf 'feature done\\ndone\\n' | git fast-import --quiet --export-marks="$T"`),
    ),
  ],
};
