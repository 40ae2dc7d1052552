//! The lines of one client: read, passed on and answered, also over a restart of the daemon.

use std::{collections::HashMap, io};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::{AbortHandle, JoinSet},
};

use super::{
    asker::Bridge,
    list::{self, Out},
    message::{Message, name_call},
    turns::{self, Turns},
};

impl Bridge {
    /// Serves until the client closes its side and has its answers, or reads no more.
    pub async fn serve(
        &self,
        input: impl AsyncRead + Unpin,
        output: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let (out, answers) = unbounded_channel();
        let reading = async {
            let read = self.read(input, &out).await;
            drop(out);
            read
        };
        tokio::try_join!(reading, write(answers, output)).map(|_| ())
    }

    async fn read(&self, input: impl AsyncRead + Unpin, out: &Out) -> io::Result<()> {
        let mut input = BufReader::new(input);
        let (mut work, mut news) = (JoinSet::new(), None);
        let turns = Turns::begin();
        let mut at_work: HashMap<String, AbortHandle> = HashMap::new();
        let mut line = Vec::new();
        // Nothing is read for a client that does not listen.
        while !out.is_closed() {
            tokio::select! {
                read = input.read_until(b'\n', &mut line) => if read? == 0 { break },
                () = out.closed() => break,
            }
            while work.try_join_next().is_some() {}
            at_work.retain(|_, task| !task.is_finished());
            let text = std::mem::take(&mut line);
            if text.trim_ascii().is_empty() {
                continue;
            }
            match Message::of(&text) {
                Message::Request { id, mut request } => {
                    name_call(&mut request);
                    let (bridge, told) = (self.clone(), out.clone());
                    if request["method"] == "tools/list" && self.may_change() {
                        news.get_or_insert_with(|| list::watch(self.clone(), out.clone()));
                    }
                    let is_ordered = turns::is_ordered(&request, &self.state().reads);
                    let mut turn = is_ordered.then(|| turns.take());
                    let task = work.spawn(async move {
                        if let Some(turn) = &mut turn {
                            turn.begin().await;
                        }
                        let answer = bridge.asked(&request).await;
                        let answer = bridge.noted(&request, answer);
                        // A client that is gone needs no answer.
                        let _ = told.send(answer);
                    });
                    at_work.insert(id.to_string(), task);
                }
                Message::Cancel(id) => {
                    if let Some(task) = at_work.remove(&id.to_string()) {
                        task.abort();
                    }
                }
                Message::Nothing => {}
                Message::Wrong(refusal) => drop(out.send(refusal)),
            }
        }
        tokio::select! {
            () = async { while work.join_next().await.is_some() {} } => {}
            () = out.closed() => {}
        }
        Ok(())
    }

    /// Keeps what later messages need of an answer.
    fn noted(&self, request: &Value, mut answer: Value) -> Value {
        match request["method"].as_str() {
            Some("initialize") => {
                if let Some(version) = answer["result"]["protocolVersion"].as_str() {
                    self.state().version = Some(version.to_owned());
                }
                if let Some(tools) = answer.pointer_mut("/result/capabilities/tools") {
                    tools["listChanged"] = json!(true);
                }
            }
            Some("tools/list") => {
                let mut state = self.state();
                state.listed = list::names(&answer);
                state.reads = list::reads(&answer);
            }
            _ => {}
        }
        answer
    }
}

async fn write(
    mut answers: UnboundedReceiver<Value>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(answer) = answers.recv().await {
        let mut line = answer.to_string();
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "tests/serve.rs"]
mod tests;
