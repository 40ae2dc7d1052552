#!/bin/sh
# Makes `repository`, a small one whose test fails, and prints how it does.
set -eu

# An empty folder is taken: nothing in it is lost.
rmdir repository 2>/dev/null || true
if [ -e repository ] && [ ! -e repository/.example ]; then
    echo "there is a folder \`repository\` already that this example has not made" >&2
    exit 1
fi
rm -rf repository
mkdir repository
cd repository
: >.example

cat >count.sh <<'END'
#!/bin/sh
# Prints how many words a file has.
tr -s ' ' '\n' <"$1" | wc -l | tr -d ' '
END

cat >test.sh <<'END'
#!/bin/sh
# Tries count.sh, and says what is wrong.
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf 'one two\n\nthree\tfour\n' >"$file"
counted=$(sh count.sh "$file")
if [ "$counted" != 4 ]; then
    echo "count.sh counts $counted words where there are 4"
    exit 1
fi
echo "count.sh counts as it should"
END

if command -v git >/dev/null 2>&1; then
    git init --quiet .
    git add .
    git -c user.name=example -c user.email=example@localhost -c commit.gpgsign=false \
        commit --quiet --no-verify --message "count words"
fi

echo '$ sh test.sh'
sh test.sh || true
