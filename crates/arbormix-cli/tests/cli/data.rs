//! `data list` and `data fetch`, the latter from a server in this process.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Folder, Ran};

/// The file, and its SHA-256 as coreutils' sha256sum has it: twice the alphabet.
const TEXT: &str = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
const SUM: &str = "2378d314a98e2394fec97b780aa58704a667b7dba1769473c494f4ab3f67e236";

/// What the server does when it is asked for the file.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Sends what is asked for.
    Ranges,
    /// Sends everything, whatever is asked for.
    Everything,
    /// Answers a range with another one.
    WrongRange,
    /// Promises everything and hangs up in the middle.
    HangUp,
    /// Knows nothing.
    NotFound,
}

/// A server for one file; keeps the `Range` of every request (empty without).
struct Server {
    address: String,
    ranges: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(manner: Manner) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&ranges);
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), manner, &seen);
            }
        });
        Server { address, ranges }
    }

    fn ranges(&self) -> Vec<String> {
        self.ranges.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, manner: Manner, seen: &Mutex<Vec<String>>) {
    let lines: Vec<String> = BufReader::new(stream.try_clone().unwrap())
        .lines()
        .map_while(|line| line.ok().filter(|line| !line.is_empty()))
        .collect();
    let header = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("range").then(|| value.trim().to_string())
    });
    let range = header.unwrap_or_default();
    let from: usize = range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap_or(0);
    seen.lock().unwrap().push(range);
    let known = lines[0].starts_with("GET /shapes/shapes.arff ");
    let size = TEXT.len();
    let (status, extra, body, length) = match manner {
        Manner::NotFound => ("404 Not Found", String::new(), "no", 2),
        _ if !known => ("404 Not Found", String::new(), "no", 2),
        Manner::HangUp => ("200 OK", String::new(), &TEXT[..20], size),
        Manner::Ranges if from >= size => ("416 Range Not Satisfiable", String::new(), "", 0),
        Manner::Ranges if from > 0 => {
            let extra = format!("Content-Range: bytes {from}-{}/{size}\r\n", size - 1);
            ("206 Partial Content", extra, &TEXT[from..], size - from)
        }
        Manner::WrongRange if from > 0 => {
            let extra = format!("Content-Range: bytes 1-{}/{size}\r\n", size - 1);
            ("206 Partial Content", extra, &TEXT[1..], size - 1)
        }
        _ => ("200 OK", String::new(), TEXT, size),
    };
    let head = format!("HTTP/1.1 {status}\r\n{extra}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    // A client that has heard enough may have gone.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

/// A folder with a catalogue of one data set of one file.
fn folder(sum: &str, bytes: Option<usize>) -> Folder {
    let folder = Folder::new();
    let mut file = json!({"path": "shapes/shapes.arff", "sha256": sum});
    if let Some(bytes) = bytes {
        file["bytes"] = json!(bytes);
    }
    let set = json!({"name": "shapes", "about": "shapes", "source": "us", "rows": 1, "features": 1, "labels": 1,
        "files": [file]});
    let catalogue = json!({"base_url": "http://127.0.0.1:9/", "licence": "Free.", "sets": [set]});
    folder.write("mine.json", catalogue.to_string());
    folder
}

fn fetch(folder: &Folder, address: &str) -> Ran {
    let mut command =
        folder.command(&format!("data fetch shapes --catalogue mine.json --cache cache --base-url {address}"));
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn part_of_an_earlier_run(folder: &Folder, text: &str) {
    std::fs::create_dir_all(folder.path("cache/shapes")).unwrap();
    folder.write("cache/shapes/shapes.arff.part", text);
}

fn require_whole(folder: &Folder, ran: &Ran) {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(folder.read("cache/shapes/shapes.arff"), TEXT.as_bytes());
    assert!(!folder.path("cache/shapes/shapes.arff.part").exists());
}

#[test]
fn the_list_has_the_benchmark_data() {
    let folder = Folder::new();
    let list = folder.json("data list --json");
    let names: Vec<&Value> = list["sets"].as_array().unwrap().iter().map(|set| &set["name"]).collect();
    for name in ["emotions", "scene", "yeast", "enron"] {
        assert!(names.contains(&&json!(name)), "{name}");
    }
    let text = folder.succeed("data list");
    assert!(text.contains("emotions") && text.contains("593") && text.contains("licence"), "{text}");
}

#[test]
fn a_file_is_fetched_once() {
    let (folder, server) = (folder(SUM, Some(TEXT.len())), Server::start(Manner::Ranges));
    let ran = fetch(&folder, &server.address);
    require_whole(&folder, &ran);
    assert!(ran.stdout.contains("fetched") && ran.stdout.contains("Free."), "{}", ran.stdout);
    assert!(ran.stdout.contains("arbormix describe cache/shapes/shapes.arff\n"), "{}", ran.stdout);
    let again = fetch(&folder, &server.address);
    assert!(again.code == 0 && again.stdout.contains("was there already"), "{}{}", again.stdout, again.stderr);
    assert_eq!(server.ranges(), [""]);
}

#[test]
fn a_partial_file_is_resumed() {
    let (folder, server) = (folder(SUM, None), Server::start(Manner::Ranges));
    part_of_an_earlier_run(&folder, &TEXT[..10]);
    require_whole(&folder, &fetch(&folder, &server.address));
    assert_eq!(server.ranges(), ["bytes=10-"]);
}

#[test]
fn servers_that_answer_otherwise_than_asked_are_coped_with() {
    for (manner, requests) in [(Manner::Everything, 1), (Manner::WrongRange, 2)] {
        let (folder, server) = (folder(SUM, None), Server::start(manner));
        part_of_an_earlier_run(&folder, &TEXT[..10]);
        require_whole(&folder, &fetch(&folder, &server.address));
        assert_eq!(server.ranges().len(), requests);
    }
    // More than there is: the server cannot go on from there.
    let (folder, server) = (folder(SUM, None), Server::start(Manner::Ranges));
    part_of_an_earlier_run(&folder, &format!("{TEXT}and more"));
    require_whole(&folder, &fetch(&folder, &server.address));
    assert_eq!(server.ranges(), [format!("bytes={}-", TEXT.len() + 8), String::new()]);
}

#[test]
fn a_broken_connection_keeps_what_came() {
    let folder = folder(SUM, None);
    let ran = fetch(&folder, &Server::start(Manner::HangUp).address);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("broke after 20 bytes") && ran.stderr.contains("goes on"), "{}", ran.stderr);
    let server = Server::start(Manner::Ranges);
    require_whole(&folder, &fetch(&folder, &server.address));
    assert_eq!(server.ranges(), ["bytes=20-"]);
}

#[test]
fn a_wrong_checksum_leaves_nothing() {
    let wrong = "0".repeat(64);
    let (folder, server) = (folder(&wrong, None), Server::start(Manner::Ranges));
    let ran = fetch(&folder, &server.address);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(SUM) && ran.stderr.contains(&wrong), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(folder.path("cache/shapes")).unwrap().count(), 0);
    // A file that is there already is never overwritten.
    folder.write("cache/shapes/shapes.arff", "mine");
    let ran = fetch(&folder, &server.address);
    assert!(ran.code == 1 && ran.stderr.contains("move the file away"), "{}", ran.stderr);
    assert_eq!(folder.read("cache/shapes/shapes.arff"), b"mine");
}

#[test]
fn what_cannot_be_had_is_said_with_a_remedy() {
    let with_size = folder(SUM, Some(5));
    let ran = fetch(&with_size, &Server::start(Manner::Ranges).address);
    assert!(ran.code == 1 && ran.stderr.contains("52 bytes, the catalogue says 5"), "{}", ran.stderr);

    let folder = folder(SUM, None);
    let ran = fetch(&folder, &Server::start(Manner::NotFound).address);
    assert!(ran.code == 1 && ran.stderr.contains("status 404") && ran.stderr.contains("--base-url"), "{}", ran.stderr);

    // A port that was free a moment ago: nobody listens.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ran = fetch(&folder, &format!("http://127.0.0.1:{port}"));
    assert!(ran.code == 1 && ran.stderr.contains("see whether there is a connection"), "{}", ran.stderr);
    assert!(ran.stderr.contains("put it at cache/shapes/shapes.arff"), "{}", ran.stderr);

    let ran = folder.run("data fetch emotoins");
    assert!(ran.code == 2 && ran.stderr.contains("did you mean emotions?"), "{}", ran.stderr);
    folder.write("bad.json", "{}");
    let ran = folder.run("data list --catalogue bad.json");
    assert!(ran.code == 1 && ran.stderr.contains("bad.json: missing field"), "{}", ran.stderr);
}
