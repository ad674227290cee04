//! Walks over the outermost level of PTX, part by part.
use super::parse::{Kind, Part, words};

/// A place in a text.
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scan { text, at: 0 }
    }

    /// The text up to here.
    pub(super) fn passed(&self) -> &'a str {
        &self.text[..self.at]
    }

    /// Moves past white space and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let comment = match trimmed.as_bytes() {
                [b'/', b'/', ..] => trimmed.find('\n'),
                [b'/', b'*', ..] => trimmed.find("*/").map(|i| i + 2),
                _ => return,
            };
            self.at += comment.unwrap_or(trimmed.len());
        }
    }

    /// The next word, without moving past it; empty at the end.
    pub(super) fn peek_word(&mut self) -> &'a str {
        self.skip_space();
        self.text[self.at..].split_whitespace().next().unwrap_or_default()
    }

    pub(super) fn skip_line(&mut self) {
        self.at += self.text[self.at..].find('\n').map_or(self.text.len() - self.at, |i| i + 1);
    }

    /// The next part.
    pub(super) fn part(&mut self) -> Result<Part<'a>, String> {
        let start = self.at;
        let first = self.peek_word();
        if matches!(first, ".file" | ".section" | ".loc") {
            return Err(format!("it holds debug information ({first}), which is not understood here"));
        }
        // Up to `;`, or to the body: a brace that is no initialiser of a variable.
        let open = self.find(&[';', '{', '=']).ok_or_else(|| self.unfinished(start))?;
        let head = &self.text[start..open];
        let kind = kind(head);
        if kind != Kind::Variable && self.text[open..].starts_with('{') {
            self.at = self.closing(open).ok_or_else(|| self.unfinished(start))?;
            let body = &self.text[open..self.at];
            return Ok(Part {
                kind,
                name: name(kind, head).ok_or_else(|| self.unfinished(start))?,
                signature: head.trim_end(),
                body: Some(body),
            });
        }
        self.at = open;
        let end = self.find(&[';']).ok_or_else(|| self.unfinished(start))?;
        self.at = end + 1;
        let signature = &self.text[start..self.at];
        Ok(Part { kind, name: name(kind, head).ok_or_else(|| self.unfinished(start))?, signature, body: None })
    }

    /// The next of these characters, outside comments. LLVM writes no strings outside of debug information.
    fn find(&self, wanted: &[char]) -> Option<usize> {
        let mut at = self.at;
        loop {
            let rest = &self.text[at..];
            let next = rest.find(|c| wanted.contains(&c))?;
            match rest.find("//") {
                Some(comment) if comment < next => at += comment + rest[comment..].find('\n')?,
                _ => return Some(at + next),
            }
        }
    }

    /// Just past the brace that closes the one at `open`.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut line = open;
        while line < self.text.len() {
            let end = self.text[line..].find('\n').map_or(self.text.len(), |i| line + i + 1);
            let code = self.text[line..end].split("//").next().unwrap_or_default();
            for (i, c) in code.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => {
                        depth = depth.checked_sub(1)?;
                        if depth == 0 {
                            return Some(line + i + 1);
                        }
                    }
                    _ => {}
                }
            }
            line = end;
        }
        None
    }

    fn unfinished(&self, start: usize) -> String {
        let line = self.text[..start].lines().count() + 1;
        format!(
            "its part in line {line} is not understood: `{}`",
            self.text[start..].lines().next().unwrap_or_default()
        )
    }
}

fn kind(head: &str) -> Kind {
    for word in head.split(|c: char| c.is_whitespace() || c == '(') {
        match word {
            ".entry" => return Kind::Entry,
            ".func" => return Kind::Function,
            _ => {}
        }
    }
    Kind::Variable
}

fn name(kind: Kind, head: &str) -> Option<&str> {
    let rest = match kind {
        Kind::Variable => return words(head.split(['[', '=']).next()?).last(),
        Kind::Entry => &head[head.find(".entry")? + ".entry".len()..],
        Kind::Function => {
            let rest = head[head.find(".func")? + ".func".len()..].trim_start();
            // The value it returns comes first, in parentheses.
            if rest.starts_with('(') { &rest[rest.find(')')? + 1..] } else { rest }
        }
    };
    words(rest).next()
}
