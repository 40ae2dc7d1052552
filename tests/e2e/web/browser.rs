//! A real Chromium, driven over `WebDriver` (W3C), which reaches nothing but this machine.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

/// How often a chromedriver is started until one says its port.
const STARTS: usize = 3;

/// Chromium with one window, ended with the test.
pub struct Browser {
    driver: Child,
    http: reqwest::Client,
    session: String,
}

/// Starts a chromedriver and reads its port; none where it is not installed. On a busy machine it
/// may end before it has said its port: then another one is started.
fn driver(folder: &Path) -> Option<(Child, u16)> {
    for _ in 0..STARTS {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("TMPDIR", folder).env("HOME", folder);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null());
        let mut driver = command.spawn().ok()?;
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse::<u16>().ok()
        });
        if let Some(port) = port {
            return Some((driver, port));
        }
        drop(driver.kill());
        drop(driver.wait());
    }
    panic!("chromedriver was started {STARTS} times and has never said its port");
}

impl Browser {
    /// Opens one, of this size, that keeps its files in a folder; none where it is not installed.
    pub async fn open(folder: &Path, (width, height): (u32, u32)) -> Option<Self> {
        let (driver, port) = driver(folder)?;
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let url = format!("http://127.0.0.1:{port}/session");
        let mut browser = Self { driver, http, session: url };
        let size = format!("--window-size={width},{height}");
        let made = browser
            .post(
                "",
                json!({ "capabilities": { "alwaysMatch": {
                    "browserName": "chrome",
                    "timeouts": { "script": 120_000 },
                    "goog:chromeOptions": { "args": [
                        "--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server",
                        "--disable-dev-shm-usage", "--disable-background-networking",
                        "--disable-component-update", "--disable-sync", "--no-first-run",
                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", size,
                    ] },
                } } }),
            )
            .await;
        browser.session = format!("{}/{}", browser.session, made["sessionId"].as_str().unwrap());
        Some(browser)
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.asked(path, &body).await;
        if !answer["error"].is_null() {
            let text = json!({ "script": "return document.body.innerText", "args": [] });
            let page = self.asked("/execute/sync", &text).await;
            panic!("{path} {body}: {}\n{page}", answer["message"]);
        }
        answer
    }

    async fn asked(&self, path: &str, body: &Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.session)).json(body);
        let mut answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer["value"].take()
    }

    /// Goes to an address.
    pub async fn go(&self, url: &str) {
        self.post("/url", json!({ "url": url })).await;
    }

    /// Opens another tab, which is driven from here on, and gives its handle.
    pub async fn tab(&self) -> String {
        let made = self.post("/window/new", json!({ "type": "tab" })).await;
        let handle = made["handle"].as_str().unwrap().to_owned();
        self.turn_to(&handle).await;
        handle
    }

    /// Drives the tab of a handle from here on.
    pub async fn turn_to(&self, handle: &str) {
        self.post("/window", json!({ "handle": handle })).await;
    }

    /// Closes the tab that is driven; another has to be turned to.
    pub async fn close(&self) {
        let request = self.http.delete(format!("{}/window", self.session));
        request.send().await.unwrap().error_for_status().unwrap();
    }

    /// Reads the page anew.
    pub async fn reload(&self) {
        self.post("/refresh", json!({})).await;
    }

    /// What a script returns.
    pub async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// What a script gives to its last argument, a function, in its time.
    pub async fn wait(&self, script: &str) -> Value {
        self.post("/execute/async", json!({ "script": script, "args": [] })).await
    }

    /// Waits until an expression is true of the page, which is asked after each change of it and when
    /// something is scrolled.
    pub async fn until(&self, is: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             const look = () => {{
                 const found = {is};
                 if (!found) return;
                 eyes.disconnect();
                 removeEventListener('scroll', look, true);
                 done(found);
             }};
             const eyes = new MutationObserver(look);
             addEventListener('scroll', look, true);
             eyes.observe(document, {{
                 subtree: true, childList: true, attributes: true, characterData: true,
             }});
             look();"
        );
        self.wait(&script).await
    }

    /// Types into what a selector finds. `\u{e007}` is Enter.
    pub async fn keys(&self, selector: &str, text: &str) {
        let found = self.find(selector).await;
        let element = found.as_object().unwrap().values().next().unwrap().as_str().unwrap();
        self.post(&format!("/element/{element}/value"), json!({ "text": text })).await;
    }

    /// Presses the mouse on what a selector finds.
    pub async fn press(&self, selector: &str) {
        let found = self.find(selector).await;
        self.mouse(json!([
            { "type": "pointerMove", "origin": found, "x": 0, "y": 0 },
            { "type": "pointerDown", "button": 0 },
        ]))
        .await;
    }

    /// Releases the mouse where it is.
    pub async fn release(&self) {
        self.mouse(json!([{ "type": "pointerUp", "button": 0 }])).await;
    }

    async fn mouse(&self, steps: Value) {
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": steps });
        self.post("/actions", json!({ "actions": [mouse] })).await;
    }

    async fn find(&self, selector: &str) -> Value {
        self.post("/element", json!({ "using": "css selector", "value": selector })).await
    }
}

impl Drop for Browser {
    /// Has the driver end its browser, which would outlive it, and ends the driver.
    fn drop(&mut self) {
        drop(self.quit());
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

impl Browser {
    fn quit(&self) -> io::Result<()> {
        let place = self.session.trim_start_matches("http://");
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        let mut driver = TcpStream::connect(host)?;
        driver.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(driver, "DELETE /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        // It answers when the browser is gone.
        driver.read(&mut [0; 64]).map(drop)
    }
}
