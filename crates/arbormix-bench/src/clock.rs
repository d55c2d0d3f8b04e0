//! Seconds and bytes.

use std::io::BufRead;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::failure::Result;

/// Work that is over sooner is done again until this much time has passed: clocks and caches are noisy.
const AT_LEAST: f64 = 0.3;

/// Seconds of one repetition of some work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seconds {
    /// On the wall.
    pub(crate) wall: f64,
    /// Of all threads of this process.
    pub(crate) cpu: f64,
    /// Repetitions that were averaged.
    pub(crate) repetitions: usize,
}

impl Seconds {
    /// As the first fields of an answer.
    pub(crate) fn json(self) -> Value {
        json!({"wall": self.wall, "cpu": self.cpu, "repetitions": self.repetitions})
    }
}

fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What the work gives, and what it took once.
pub(crate) fn once<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Seconds)> {
    let (wall, before) = (Instant::now(), cpu());
    let value = work()?;
    let seconds = Seconds { wall: wall.elapsed().as_secs_f64(), cpu: cpu() - before, repetitions: 1 };
    Ok((value, seconds))
}

/// What the work gives, and what it takes on average.
pub(crate) fn timed<T>(mut work: impl FnMut() -> Result<T>) -> Result<(T, Seconds)> {
    let (mut value, mut sum) = once(&mut work)?;
    while sum.wall < AT_LEAST {
        let (next, seconds) = once(&mut work)?;
        value = next;
        sum.wall += seconds.wall;
        sum.cpu += seconds.cpu;
        sum.repetitions += 1;
    }
    let count = sum.repetitions as f64;
    Ok((value, Seconds { wall: sum.wall / count, cpu: sum.cpu / count, repetitions: sum.repetitions }))
}

/// Says what was prepared, then answers every line of standard input with a run.
pub(crate) fn serve(prepared: &Value, mut run: impl FnMut() -> Result<Value>) -> Result<()> {
    println!("{prepared}");
    for line in std::io::stdin().lock().lines() {
        line?;
        println!("{}", run()?);
    }
    Ok(())
}

/// Forgets the largest memory so far, where the system can.
pub(crate) fn forget_peak() {
    // Linux: 5 resets VmHWM. Elsewhere the peak includes what was prepared, and none is reported anyway.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest resident memory of this process in bytes; `None` where /proc does not tell it.
pub(crate) fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The resident memory of this process in bytes.
pub(crate) fn resident_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

fn status_bytes(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_work_is_repeated_and_averaged() {
        let mut runs = 0;
        let (last, seconds) = timed(|| {
            runs += 1;
            std::thread::sleep(std::time::Duration::from_millis(40));
            Ok(runs)
        })
        .unwrap();
        assert_eq!(last, seconds.repetitions);
        // Sleep takes no CPU: the two clocks are different ones.
        assert!(seconds.wall >= 0.04 && seconds.cpu < 0.02, "{seconds:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_is_not_below_what_is_resident() {
        assert!(peak_bytes().unwrap() >= resident_bytes().unwrap() / 2);
    }
}
