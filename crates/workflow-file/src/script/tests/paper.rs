//! Writes scripts down as JSON, which is YAML.

use super::*;

pub fn of_script(script: &Script) -> Value {
    script.0.iter().map(of_turn).collect()
}

fn of_turn(turn: &Turn) -> Value {
    let when = turn.when.as_ref().map(|when| when.regex().as_str());
    let steps: Vec<_> = turn.steps.iter().map(of_step).collect();
    json!({ "when": when, "times": turn.times, "do": steps })
}

fn of_step(step: &Step) -> Value {
    match step {
        Step::Think(text) => json!({ "think": text }),
        Step::Call { tool, with, output } => json!({ "call": tool, "with": with, "as": output }),
        Step::Ask { tool, with, output } => json!({ "ask": tool, "with": with, "as": output }),
        Step::Sleep(span) => json!({ "sleep": span }),
        Step::Say(text) => json!({ "say": text }),
        Step::Usage(usage) => {
            let ScriptUsage { input, output, cache_read, cache_write, reasoning, cost } = usage;
            json!({ "usage": {
                "input": input, "output": output, "cache_read": cache_read,
                "cache_write": cache_write, "reasoning": reasoning, "cost": cost,
            } })
        }
        Step::Fail(failure) => json!({ "fail": of_failure(*failure) }),
        Step::Shell(command) => json!({ "shell": command }),
    }
}

pub fn of_failure(failure: Failure) -> String {
    match failure {
        Failure::RateLimited(None) => "rate_limited".to_owned(),
        Failure::RateLimited(Some(span)) => format!("rate_limited {span}"),
        Failure::Transient => "transient".to_owned(),
        Failure::Permanent => "permanent".to_owned(),
        Failure::Overflow => "overflow".to_owned(),
        Failure::Unavailable => "unavailable".to_owned(),
        Failure::Exit(code) => format!("exit {code}"),
        Failure::Hang => "hang".to_owned(),
        Failure::Crash => "crash".to_owned(),
        Failure::Silent => "silent".to_owned(),
        Failure::Flood(bytes) if bytes.is_multiple_of(1 << 20) => {
            format!("flood {}MiB", bytes >> 20)
        }
        Failure::Flood(bytes) => format!("flood {bytes}"),
        Failure::Garbage => "garbage".to_owned(),
    }
}
