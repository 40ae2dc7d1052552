# What a stub of an agent program has at hand. A test adds what it says and does.
# It notes how it was started in `stub/` of the folder in which it works.

mkdir -p stub
n=$(($(ls stub | grep -c '^args') + 1))
printf '%s\n' "$@" >"stub/args-$n"
env >"stub/env-$n"
cat >"stub/stdin-$n"
echo "$$" >>stub/pids
: >"$TMPDIR/temporary"
echo "$TMPDIR" >>stub/scratch

# Asks the daemon over MCP, as a program does: METHOD PARAMS.
ask() {
    local url=${AGENT_WORKER_MCP_URL#http://} body
    local place=${url%%/*} path=/${url#*/}
    body='{"jsonrpc":"2.0","id":1,"method":"'$1'","params":'$2'}'
    exec 3<>"/dev/tcp/${place%:*}/${place#*:}"
    printf 'POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n' \
        "$path" "$place" "$AGENT_WORKER_TOKEN" >&3
    printf 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n' >&3
    printf 'MCP-Protocol-Version: 2025-06-18\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' \
        "${#body}" "$body" >&3
    cat <&3 >"stub/answer-$n"
    exec 3>&-
    grep -q '"result"' "stub/answer-$n"
}

tools() { ask tools/list '{}'; }
call() { ask tools/call '{"name":"'"$1"'","arguments":'"$2"'}'; }

# Says lines of a session: SESSION.
begins() {
    echo '{"type":"system","subtype":"init","session_id":"'$1'","mcp_servers":[{"name":"daemon","status":"connected"}]}'
}
says() {
    echo '{"type":"assistant","message":{"id":"m","model":"m-1","content":[{"type":"text","text":"'$1'"}]}}'
}
ends() {
    echo '{"type":"result","subtype":"success","is_error":false,"result":"'$1'","usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":0,"cache_creation_input_tokens":0},"model_usage_since_last_result":{"m-1":{"costUSD":0.5}},"total_cost_usd":9.5}'
}
