#!/bin/sh
# Prints the change to review: `git diff BASE` of the repository this folder is in. Outside
# a repository, or where nothing differs, it makes a small one, changes it and prints that diff.
set -eu
base=${1:-HEAD}

has_git() { command -v git >/dev/null 2>&1; }

# A repository with at least one commit to compare with.
if has_git && git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
    change=$(git --no-pager diff --no-color --no-ext-diff "$base" --)
    if [ -n "$change" ]; then
        printf '%s\n' "$change"
        exit 0
    fi
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir a b
cat >a/counter.py <<'EOF'
def count_words(path):
    with open(path) as file:
        return len(file.read().split())
EOF
cat >b/counter.py <<'EOF'
CACHE = {}


def count_words(path):
    # TODO: the cache is never emptied, and a changed file keeps its old count
    if path not in CACHE:
        CACHE[path] = len(open(path).read().split())
    return CACHE[path]
EOF

if has_git; then
    # A repository with the first version in it, and the second in the working tree.
    git init --quiet repository
    cp a/counter.py repository/counter.py
    cd repository
    git add counter.py
    git -c user.name=example -c user.email=example@localhost -c commit.gpgsign=false \
        commit --quiet --no-verify --message "count words"
    cp ../b/counter.py counter.py
    git --no-pager diff --no-color --no-ext-diff HEAD --
else
    # Without git, a plain diff of the two versions; 1 means that they differ.
    diff -u a/counter.py b/counter.py || [ $? -eq 1 ]
fi
