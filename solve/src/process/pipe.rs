//! A child process with non-blocking input and output: a thread at each end of its pipes lets the caller limit how long
//! it waits.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Ends the child when dropped.
#[derive(Debug)]
pub(super) struct Pipe {
    child: Child,
    input: Sender<String>,
    output: Receiver<String>,
}

/// No output within the time, or no more output at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    Waiting,
    Ended,
}

impl Pipe {
    pub(super) fn start(program: &str, arguments: &[&str]) -> io::Result<Pipe> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a child without pipes"));
        };
        let (input, to_write) = mpsc::channel();
        let (read, output) = mpsc::channel();
        thread::spawn(move || write_all(stdin, &to_write));
        thread::spawn(move || read_all(stdout, &read));
        Ok(Pipe { child, input, output })
    }

    /// Never blocks. If the child has ended, `receive` reports it.
    pub(super) fn send(&self, text: String) {
        let _ = self.input.send(text);
    }

    /// The next line of its output.
    pub(super) fn receive(&self, patience: Duration) -> Result<String, Silence> {
        self.output.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Waiting,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Fails only if the child has ended already; then it still has to be reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut stdin: ChildStdin, texts: &Receiver<String>) {
    for text in texts {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_all(stdout: ChildStdout, lines: &Sender<String>) {
    for line in BufReader::new(stdout).lines() {
        let Ok(line) = line else { return };
        if lines.send(line).is_err() {
            return;
        }
    }
}
