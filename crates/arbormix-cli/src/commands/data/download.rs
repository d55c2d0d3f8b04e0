//! A file over HTTP(S): resumed where it stopped, checked, and in its place only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use arbormix_base::progress::Progress;
use sha2::{Digest, Sha256};
use ureq::http::Response;
use ureq::{Agent, Body};

use super::catalogue::RemoteFile;
use crate::failure::Failure;
use crate::progress::Reporter;

/// A server that says nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes read at a time.
const BLOCK: usize = 1 << 16;

/// Bytes that make one step of the progress shown.
const STEP: u64 = 1 << 10;

/// Fetches files.
pub(super) struct Downloader<'a> {
    agent: Agent,
    reporter: &'a Reporter,
}

/// One file on its way.
struct Transfer<'a> {
    url: &'a str,
    file: &'a RemoteFile,
    target: &'a Path,
    /// What has arrived so far; kept when the connection breaks.
    part: PathBuf,
}

impl<'a> Downloader<'a> {
    pub(super) fn new(reporter: &'a Reporter) -> Downloader<'a> {
        let config = Agent::config_builder()
            .timeout_connect(Some(PATIENCE))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .http_status_as_error(false)
            .user_agent(concat!("arbormix/", env!("CARGO_PKG_VERSION")))
            .build();
        Downloader { agent: config.into(), reporter }
    }

    /// Makes `target` the file; says whether anything had to be fetched. A file that is there already is only checked.
    pub(super) fn fetch(&self, url: &str, file: &RemoteFile, target: &Path) -> Result<bool, Failure> {
        if target.exists() {
            let found = sha256_of(target)?;
            let place = target.display();
            return if found == file.sha256 {
                Ok(false)
            } else {
                let numbers = format!("its SHA-256 is {found}, the catalogue says {}", file.sha256);
                Err(Failure::Work(format!("{place}: {numbers}; move the file away to fetch it again")))
            };
        }
        let mut part = target.as_os_str().to_owned();
        part.push(".part");
        let transfer = Transfer { url, file, target, part: part.into() };
        let (from, response) = self.open(&transfer)?;
        self.receive(&transfer, from, response)?;
        transfer.finish()?;
        Ok(true)
    }

    /// The server's answer, and the number of bytes we have that it goes on from.
    fn open(&self, transfer: &Transfer<'_>) -> Result<(u64, Response<Body>), Failure> {
        let have = transfer.part.metadata().map_or(0, |meta| meta.len());
        if have > 0 {
            let response = self.get(transfer, have)?;
            match response.status().as_u16() {
                206 if range_start(&response) == Some(have) => return Ok((have, response)),
                // The server does not do ranges and sends everything.
                200 => return Ok((0, response)),
                // Another range than we asked for, or (416) we have more than there is: all over again.
                206 | 416 => {}
                status => return Err(transfer.refused(status)),
            }
        }
        let response = self.get(transfer, 0)?;
        match response.status().as_u16() {
            200 => Ok((0, response)),
            status => Err(transfer.refused(status)),
        }
    }

    fn get(&self, transfer: &Transfer<'_>, from: u64) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.get(transfer.url);
        if from > 0 {
            request = request.header("Range", format!("bytes={from}-"));
        }
        request.call().map_err(|error| transfer.unreachable(&error))
    }

    /// Appends what the server sends to the first `from` bytes that we have.
    fn receive(&self, transfer: &Transfer<'_>, from: u64, response: Response<Body>) -> Result<(), Failure> {
        let total = response.body().content_length().map(|rest| from + rest);
        if let (Some(total), Some(bytes)) = (total, transfer.file.bytes)
            && total != bytes
        {
            let numbers = format!("the server has {total} bytes, the catalogue says {bytes}");
            return Err(Failure::Work(format!("{}: {numbers}; this is another file", transfer.url)));
        }
        let steps = total.map_or(0, |total| total.div_ceil(STEP));
        self.reporter.begin(&format!("fetching {}", transfer.url), usize::try_from(steps).unwrap_or(usize::MAX));
        let here = |error: io::Error| Failure::from(arbormix::Error::io(&transfer.part)(error));
        let mut out = OpenOptions::new().create(true).write(true).truncate(false).open(&transfer.part).map_err(here)?;
        out.set_len(from).map_err(here)?;
        io::Seek::seek(&mut out, io::SeekFrom::Start(from)).map_err(here)?;
        let (mut body, mut block, mut have) = (response.into_body().into_reader(), vec![0; BLOCK], from);
        let mut shown = 0;
        loop {
            if self.reporter.cancelled() {
                let kept = format!("stopped; {have} bytes are kept in {}", transfer.part.display());
                return Err(Failure::Paused(format!("{kept}, and the same command goes on from there")));
            }
            let count = match body.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => return Err(transfer.broken(have, &error.to_string())),
            };
            out.write_all(&block[..count]).map_err(here)?;
            have += count as u64;
            let reached = (have / STEP).min(steps);
            self.reporter.advance(usize::try_from(reached - shown).unwrap_or_default());
            shown = reached;
        }
        if let Some(total) = total.filter(|&total| have < total) {
            return Err(transfer.broken(have, &format!("it ended before all {total} had come")));
        }
        out.sync_all().map_err(here)
    }
}

impl Transfer<'_> {
    /// Checks what has arrived and puts it in its place.
    fn finish(&self) -> Result<(), Failure> {
        let found = sha256_of(&self.part)?;
        if found != self.file.sha256 {
            // Going on from wrong bytes would never end well.
            fs::remove_file(&self.part).map_err(arbormix::Error::io(&self.part))?;
            let numbers = format!("its SHA-256 is {found}, the catalogue says {}", self.file.sha256);
            let remedy = "it was removed; try once more, and if this comes again, the source has changed: tell us, or \
                name another with --base-url";
            return Err(Failure::Work(format!("{}: {numbers}; {remedy}", self.url)));
        }
        Ok(fs::rename(&self.part, self.target).map_err(arbormix::Error::io(self.target))?)
    }

    fn refused(&self, status: u16) -> Failure {
        let why = match status {
            404 | 410 => "there is no such file; the address given by --base-url must hold the catalogue's paths",
            401 | 403 | 407 => "the server, or a proxy on the way, does not let us",
            429 => "too many requests; wait a while",
            500..=599 => "the server is in trouble; try again later",
            _ => "this is not an answer that a file comes with",
        };
        Failure::Work(format!("{}: status {status}: {why}; {}", self.url, self.by_hand()))
    }

    fn unreachable(&self, error: &ureq::Error) -> Failure {
        let help = "see whether there is a connection (a proxy is named by the variable HTTPS_PROXY)";
        Failure::Work(format!("{}: {error}; {help}, or {}", self.url, self.by_hand()))
    }

    fn broken(&self, have: u64, why: &str) -> Failure {
        let kept = "they are kept, and the same command goes on from there";
        Failure::Work(format!("{}: the connection broke after {have} bytes: {why}; {kept}", self.url))
    }

    /// What to do without a connection.
    fn by_hand(&self) -> String {
        format!("get the file in another way and put it at {}: the same command then checks it", self.target.display())
    }
}

/// N of `Content-Range: bytes N-...`.
fn range_start(response: &Response<Body>) -> Option<u64> {
    let text = response.headers().get("Content-Range")?.to_str().ok()?;
    text.trim().strip_prefix("bytes")?.trim_start().split('-').next()?.parse().ok()
}

/// The SHA-256 of a file in lower-case hexadecimal digits.
pub(super) fn sha256_of(path: &Path) -> Result<String, Failure> {
    let mut hash = Sha256::new();
    let mut file = File::open(path).map_err(arbormix::Error::io(path))?;
    io::copy(&mut file, &mut hash).map_err(arbormix::Error::io(path))?;
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
