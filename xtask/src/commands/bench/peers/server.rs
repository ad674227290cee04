//! A program that answers each line with a line of JSON.
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Error;
use crate::build::process::shown;
use crate::commands::bench::peers::Row;
use crate::commands::bench::timing::Times;

/// The program, under way.
pub(super) struct Server {
    name: String,
    child: Child,
    /// Closed to end the program.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// What it answers.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Answer {
    /// Why it could not.
    error: Option<String>,
    /// Of all input sets.
    pub(super) digest: Option<String>,
    #[serde(default)]
    rows: Vec<AnswerRow>,
}

#[derive(Debug, serde::Deserialize)]
struct AnswerRow {
    by: String,
    times_ms: Times,
    /// Of its result for the first input set.
    #[serde(default)]
    result: Option<String>,
}

impl Answer {
    /// The rows, or why there are none.
    pub(super) fn into_rows(self) -> Result<Vec<Row>, String> {
        match self.error {
            Some(why) => Err(why),
            None => Ok(self.rows.into_iter().map(|row| (row.by, row.times_ms)).collect()),
        }
    }

    /// The rows, each with whether its result has this digest.
    pub(super) fn into_rows_with(self, digest: &str) -> Result<Vec<(Row, bool)>, String> {
        match self.error {
            Some(why) => Err(why),
            None => {
                let right = |row: &AnswerRow| row.result.as_deref() == Some(digest);
                Ok(self
                    .rows
                    .into_iter()
                    .map(|row| (right(&row), row))
                    .map(|(is, row)| ((row.by, row.times_ms), is))
                    .collect())
            }
        }
    }
}

impl Server {
    pub(super) fn start(command: &mut Command) -> Result<Self, Error> {
        let name = shown(command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| Error::msg(format!("cannot start `{name}`: {e}")))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(requests), Some(answers)) => {
                Ok(Server { name, child, requests: Some(requests), answers: BufReader::new(answers) })
            }
            _ => Err(Error::msg(format!("`{name}` has no pipes"))),
        }
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// Where the program has ended or does not answer in JSON.
    pub(super) fn ask(&mut self, request: &str) -> Result<Answer, Error> {
        let failed = |name: &str, why: String| Error::msg(format!("the peer `{name}` {why}"));
        if let Some(requests) = &mut self.requests {
            writeln!(requests, "{request}")
                .and_then(|()| requests.flush())
                .map_err(|e| failed(&self.name, format!("takes no request: {e}")))?;
        }
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err(failed(&self.name, "has ended".into())),
            Ok(_) => serde_json::from_str(&line).map_err(|e| failed(&self.name, format!("answers {line:?}: {e}"))),
            Err(e) => Err(failed(&self.name, format!("cannot be read: {e}"))),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // At the end of its requests it ends by itself.
        self.requests = None;
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Server {
        Server::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn answers_come_line_by_line() {
        let script =
            r#"while read a; do echo "{\"digest\":\"$a\",\"rows\":[{\"by\":\"x\",\"times_ms\":[1.5]}]}"; done"#;
        let mut server = shell(script);
        for request in ["ab", "cd"] {
            let answer = server.ask(request).unwrap();
            assert_eq!(answer.digest.as_deref(), Some(request));
            assert_eq!(answer.into_rows(), Ok(vec![("x".to_string(), Times(vec![1.5]))]));
        }
    }

    #[test]
    fn errors_and_ends_are_told() {
        let mut server = shell(r#"read a; echo '{"error":"out of memory"}'"#);
        assert_eq!(server.ask("x").unwrap().into_rows(), Err("out of memory".to_string()));
        assert!(server.ask("y").is_err());
        let mut server = shell("read a; echo nonsense");
        assert!(server.ask("x").unwrap_err().to_string().contains("nonsense"));
    }
}
