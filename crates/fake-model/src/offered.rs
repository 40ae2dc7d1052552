//! The tools that a client offers. Agent programs have names of their own for tools, and some keep
//! them out of the list: behind a search, or behind a tool that runs JavaScript.

use serde_json::{Value, json};

use crate::interface::Interface;

/// A tool as a client calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    pub name: String,
    /// What it is grouped under, if anything.
    pub namespace: Option<String>,
    /// How it is called.
    pub form: Form,
}

/// How a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With JSON.
    Function,
    /// With text.
    Custom,
    /// With JSON; its answer has further tools.
    Search,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub tool: Offered,
    /// Its arguments: a JSON text, if the form is not another.
    pub arguments: String,
}

impl Offered {
    /// A function of this name, in no group.
    pub fn function(name: &str) -> Self {
        Self { name: name.to_owned(), namespace: None, form: Form::Function }
    }

    /// All tools of a request, those too that a search has found.
    pub fn read(interface: Interface, body: &Value) -> Vec<Self> {
        let list = |of: &Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
        let mut told = list(body, "tools");
        for item in body["input"].as_array().into_iter().flatten() {
            if matches!(item["type"].as_str(), Some("additional_tools" | "tool_search_output")) {
                told.extend(list(item, "tools"));
            }
        }
        let mut all = Vec::new();
        for tool in told {
            let (tools, group) = if interface == Interface::Gemini {
                (list(&tool, "functionDeclarations"), None)
            } else if tool["type"] == "namespace" {
                (list(&tool, "tools"), tool["name"].as_str())
            } else {
                (vec![tool.clone()], None)
            };
            all.extend(tools.iter().filter_map(|tool| Self::of(interface, tool, group)));
        }
        all
    }

    fn of(interface: Interface, tool: &Value, namespace: Option<&str>) -> Option<Self> {
        let (name, form) = match (interface, tool["type"].as_str()) {
            (Interface::Openai, _) => (&tool["function"]["name"], Form::Function),
            (Interface::Responses, Some("tool_search")) => (&tool["type"], Form::Search),
            (Interface::Responses, Some("custom")) => (&tool["name"], Form::Custom),
            (_, _) => (&tool["name"], Form::Function),
        };
        let namespace = namespace.map(str::to_owned);
        Some(Self { name: name.as_str()?.to_owned(), namespace, form })
    }

    /// Whether this is a tool, under its own name or behind that of the daemon as a server: `my_inbox`
    /// is `mcp__daemon__my_inbox` too, and `write` is not `team_doc_write`.
    fn is(&self, tool: &str) -> bool {
        let before = self.name.strip_suffix(tool);
        before.is_some_and(|before| {
            before.is_empty() || before.trim_end_matches(['_', '.', '/']).ends_with("daemon")
        })
    }
}

impl Call {
    /// Its arguments as JSON; null if they are none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.arguments).unwrap_or_default()
    }

    /// The call with which a client reaches a tool. A tool that it does not offer is called all the
    /// same, in JavaScript if it offers that.
    pub fn of(tool: &str, arguments: String, offered: &[Offered]) -> Self {
        let exact = offered.iter().find(|offered| offered.name == tool);
        if let Some(found) = exact.or_else(|| offered.iter().find(|offered| offered.is(tool))) {
            return Self { tool: found.clone(), arguments };
        }
        match offered.iter().find(|offered| is_script(offered)) {
            Some(script) => Self { tool: script.clone(), arguments: in_script(tool, &arguments) },
            None => Self { tool: Offered::function(tool), arguments },
        }
    }

    /// The search for a tool that is not offered yet; `None` if it is offered, or without a search.
    pub fn search(tool: &str, offered: &[Offered]) -> Option<Self> {
        if offered.iter().any(|offered| offered.is(tool) || is_script(offered)) {
            return None;
        }
        let search = offered.iter().find(|offered| offered.form == Form::Search)?;
        let arguments = json!({ "query": tool, "limit": 8 }).to_string();
        Some(Self { tool: search.clone(), arguments })
    }
}

fn is_script(tool: &Offered) -> bool {
    tool.form == Form::Custom && tool.name == "exec"
}

/// A program that calls a tool and tells its result.
fn in_script(tool: &str, arguments: &str) -> String {
    let tool = Value::from(tool);
    format!(
        "const wanted = {tool};\n\
         const names = ALL_TOOLS.map((tool) => tool.name);\n\
         const name = names.find((name) => name === wanted || name.endsWith(\"__\" + wanted));\n\
         const given = await tools[name ?? wanted]({arguments});\n\
         const parts = given?.content?.map((part) => part.text ?? \"\").join(\"\\n\");\n\
         text(parts ?? given);\n"
    )
}
