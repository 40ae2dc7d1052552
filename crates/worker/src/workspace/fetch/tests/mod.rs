//! `fetch`, of servers on this machine that a test has allowed or not.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::{
    reach::{Allowance, Reach},
    *,
};

/// An address of this machine that the tests allow, and another that they do not.
const ALLOWED: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// A server that answers each path as it is told, and counts who comes.
struct Server {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn at(address: IpAddr, answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).unwrap();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                // A client that has read enough hangs up.
                let _ = stream.write_all(&answer(&path));
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn page(kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.0 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}").into_bytes()
}

fn moved(to: &str) -> Vec<u8> {
    format!("HTTP/1.0 302 Found\r\nLocation: {to}\r\n\r\n").into_bytes()
}

fn get(limits: &Limits, url: &str) -> Result<Outcome, String> {
    let names = BTreeMap::from([
        ("good.test".to_owned(), vec![ALLOWED]),
        ("bad.test".to_owned(), vec![OTHER]),
        ("both.test".to_owned(), vec![OTHER, ALLOWED]),
    ]);
    let reach = Reach { allowance: Allowance { addresses: vec![ALLOWED], names } };
    get_within(&reach, limits, url)
}

fn get_within(reach: &Reach, limits: &Limits, url: &str) -> Result<Outcome, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let asked = Fetch { url: url.to_owned() };
    runtime.block_on(fetch(limits, reach, &asked)).map_err(|refusal| refusal.to_string())
}

fn text(url: &str) -> String {
    get(&Limits::default(), url).unwrap().text
}

fn refused(url: &str) -> String {
    get(&Limits::default(), url).unwrap_err()
}

#[test]
fn a_page_is_given_as_its_text() {
    let server = Server::at(ALLOWED, |path| match path {
        "/html" => page("text/html; charset=utf-8", "<h1>Hi</h1><p>a &amp; b</p>"),
        "/plain" => page("text/plain", "<p>as it is</p>"),
        "/json" => page("application/json", "{\"a\": 1}"),
        "/latin" => {
            b"HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n\r\ncaf\xe9"
                .to_vec()
        }
        "/quotes" => {
            b"HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n\r\n\x93a\x94\x80"
                .to_vec()
        }
        "/odd" => {
            b"HTTP/1.0 200 OK\r\nContent-Type: text/plain; charset=windows-1251\r\n\r\n\xcf\xf0a"
                .to_vec()
        }
        "/bare" => b"HTTP/1.0 200 OK\r\n\r\n<!DOCTYPE html><p>bare".to_vec(),
        "/gone" => b"HTTP/1.0 404 Not Found\r\nContent-Type: text/plain\r\n\r\nno".to_vec(),
        "/picture" => page("image/png", "\u{89}PNG"),
        "/lies" => page("text/plain", "a\0b"),
        _ => page("text/plain", "?"),
    });
    for (path, body) in [
        ("/html", "# Hi\n\na & b\n"),
        ("/plain", "<p>as it is</p>\n"),
        ("/json", "{\"a\": 1}\n"),
        ("/latin", "café\n"),
        ("/quotes", "“a”€\n"),
        ("/odd", "\u{fffd}\u{fffd}a\n[not all of it is UTF-8]\n"),
        ("/bare", "bare\n"),
        ("/other#part", "?\n"),
    ] {
        let url = server.url(path);
        let shown = url.trim_end_matches("#part");
        assert_eq!(text(&url), format!("200 OK {shown}\n\n{body}"));
    }
    let gone = get(&Limits::default(), &server.url("/gone")).unwrap();
    assert!(gone.is_error && gone.text.starts_with("404 Not Found http://"), "{}", gone.text);
    for (path, told) in [("/picture", "its type is image/png"), ("/lies", "its type is text/plain")]
    {
        let text = refused(&server.url(path));
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn a_long_page_is_cut() {
    let server = Server::at(ALLOWED, |_| page("text/plain", &"0123456789".repeat(1_000_000)));
    let limits = Limits { fetch_bytes: 5000, fetch_text: 100, ..Limits::default() };
    let text = get(&limits, &server.url("/")).unwrap().text;
    assert!(text.len() < 300, "{}", text.len());
    let end =
        "[4900 more bytes of text]\n[the page is longer than the 5000 bytes that were loaded]\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let (told, heard) = std::sync::mpsc::channel::<()>();
    let server = Server::at(ALLOWED, move |_| {
        // Until the test is over.
        let _ = heard.recv();
        Vec::new()
    });
    let limits = Limits { fetch_time: Duration::from_millis(200), ..Limits::default() };
    let text = get(&limits, &server.url("/")).unwrap_err();
    assert!(text.starts_with("timed out: `http://127.0.0.1:"), "{text}");
    drop(told);
}

#[test]
fn redirections_are_followed_so_far() {
    let server = Server::at(ALLOWED, |path| match path.trim_start_matches('/').parse() {
        Ok(0) => page("text/plain", "there"),
        Ok(left) => moved(&format!("/{}", left - 1_u32)),
        Err(_) => moved("http://good.test:1/"),
    });
    assert!(text(&server.url("/5")).ends_with("/0\n\nthere\n"));
    assert!(refused(&server.url("/6")).contains("more than 5 redirects"));
    let nobody = refused(&server.url("/elsewhere"));
    assert!(nobody.contains("`http://good.test:1/` cannot be fetched: "), "{nobody}");
}

#[test]
fn d_3_what_is_near_is_refused_however_it_is_spelled() {
    let server = Server::at(OTHER, |_| page("text/plain", "secret"));
    let port = server.address.port();
    for host in [
        "127.0.0.2",
        "127.2",
        "0x7f000002",
        "0177.0.0.2",
        "2130706434",
        "127.0.0.2.",
        "%31%32%37.0.0.2",
        "127。0。0。2",
        "①②⑦.0.0.2",
        "[::ffff:127.0.0.2]",
        "[::ffff:7f00:2]",
        "[::1]",
        "[::]",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:2]",
        "localhost",
        "LOCALHOST",
        "bad.test",
    ] {
        let url = format!("http://{host}:{port}/");
        let names = BTreeMap::from([("bad.test".to_owned(), vec![OTHER])]);
        let reach = Reach { allowance: Allowance { addresses: Vec::new(), names } };
        let text = get_within(&reach, &Limits::default(), &url).unwrap_err();
        assert!(text.contains("of this machine or of a private network"), "{host}: {text}");
    }
    assert_eq!(server.asked(), 0);
}

#[test]
fn a_redirection_leads_to_nothing_near_either() {
    let secret = Server::at(OTHER, |_| page("text/plain", "secret"));
    let port = secret.address.port();
    let server = Server::at(ALLOWED, move |path| match path {
        "/address" => moved(&format!("http://127.0.0.2:{port}/")),
        "/name" => moved(&format!("http://bad.test:{port}/")),
        "/same" => moved(&format!("//bad.test:{port}/")),
        _ => moved("file:///etc/passwd"),
    });
    for path in ["/address", "/name", "/same"] {
        let text = refused(&server.url(path));
        assert!(text.contains("of this machine or of a private network"), "{text}");
    }
    assert_eq!(refused(&server.url("/file")), "unsupported scheme `file:`");
    assert_eq!(secret.asked(), 0);
}

#[test]
fn of_a_names_addresses_only_those_are_used_that_may_be() {
    let bad = Server::at(OTHER, |_| page("text/plain", "secret"));
    let good = TcpListener::bind((ALLOWED, bad.address.port()));
    // Both would have to listen on the same port.
    if let Ok(good) = good {
        let serve = std::thread::spawn(move || {
            let (mut stream, _) = good.accept().unwrap();
            let mut request = [0; 1000];
            assert!(stream.read(&mut request).unwrap() > 0);
            stream.write_all(&page("text/plain", "public")).unwrap();
        });
        let url = format!("http://both.test:{}/", bad.address.port());
        assert!(text(&url).ends_with("public\n"));
        serve.join().unwrap();
    }
    assert_eq!(bad.asked(), 0);
}

#[test]
fn only_the_web_is_fetched() {
    for (url, told) in [
        ("", "is not the address of a page"),
        ("good.test", "is not the address of a page"),
        ("ftp://good.test/", "unsupported scheme `ftp:`"),
        ("file:///etc/passwd", "unsupported scheme `file:`"),
        ("data:text/plain,x", "unsupported scheme `data:`"),
        ("http://me@good.test/", "with a name or a password in it"),
        ("http://:secret@good.test/", "with a name or a password in it"),
        ("http://no host/", "is not the address of a page"),
    ] {
        let text = refused(url);
        assert!(text.contains(told), "{url}: {text}");
    }
}
