//! Boolean expressions over labels.

use super::{QuestionError, label};

/// Labels an event may mention: its probability is worked out over the values of these.
pub const LARGEST_EVENT: usize = 16;

/// Parentheses and negations inside each other; more are no question that a person asks.
const DEEPEST: usize = 64;

/// Characters that cannot be part of a name without quotes.
const SIGNS: [char; 6] = ['&', '|', '!', '(', ')', '"'];

/// A Boolean expression over labels: `!` not, `&` and, `|` or, in this order of strength, and parentheses. Names with
/// spaces or these signs stand in double quotes.
///
/// ```
/// use arbormix_joint::question::Event;
/// let names = ["cat", "dog", "pet"].map(String::from);
/// let event = Event::parse("cat & !pet | dog", &names)?;
/// assert_eq!(event.truth(&[Some(true), None, Some(false)]), Some(true));
/// assert_eq!(event.truth(&[Some(true), None, Some(true)]), None);
/// # Ok::<(), arbormix_joint::question::QuestionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    expression: Expression,
    labels: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Label(usize),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Event {
    /// Reads an expression over the labels with these names.
    pub fn parse(text: &str, names: &[String]) -> Result<Event, QuestionError> {
        let mut parser = Parser { text, names, tokens: tokens(text)?, at: 0, depth: 0, labels: Vec::new() };
        let expression = parser.any()?;
        if parser.at < parser.tokens.len() {
            return Err(parser.unexpected("& or | or the end"));
        }
        let mut labels = parser.labels;
        labels.sort_unstable();
        labels.dedup();
        if labels.len() > LARGEST_EVENT {
            let (question, found) = (text.to_string(), labels.len());
            return Err(QuestionError::TooLarge { question, what: "labels", found, most: LARGEST_EVENT });
        }
        Ok(Event { expression, labels })
    }

    /// The labels it mentions, ascending.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// Whether it happens, as far as that follows from the values that are known.
    pub fn truth(&self, values: &[Option<bool>]) -> Option<bool> {
        self.expression.truth(values)
    }
}

impl Expression {
    fn truth(&self, values: &[Option<bool>]) -> Option<bool> {
        match self {
            Expression::Label(label) => values.get(*label).copied().flatten(),
            Expression::Not(inner) => inner.truth(values).map(|truth| !truth),
            Expression::All(parts) => decided(parts, values, false),
            Expression::Any(parts) => decided(parts, values, true),
        }
    }
}

/// One part with the value `decisive` decides; otherwise all parts must be known.
fn decided(parts: &[Expression], values: &[Option<bool>], decisive: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part.truth(values) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!decisive)
}

/// A sign or a name, with the column it begins in.
#[derive(Debug, Clone)]
enum Token {
    Sign(usize, char),
    Name(usize, String),
}

fn tokens(text: &str) -> Result<Vec<Token>, QuestionError> {
    let mut out = Vec::new();
    let mut rest = text.chars().enumerate().map(|(at, c)| (at + 1, c)).peekable();
    while let Some((column, sign)) = rest.next() {
        if sign == '"' {
            let mut name = String::new();
            loop {
                match rest.next() {
                    Some((_, '"')) => break,
                    Some((_, c)) => name.push(c),
                    None => {
                        let (question, found) = (text.to_string(), "the end".to_string());
                        return Err(QuestionError::Expected { question, column, expected: "a closing \"", found });
                    }
                }
            }
            out.push(Token::Name(column, name));
        } else if SIGNS.contains(&sign) {
            out.push(Token::Sign(column, sign));
        } else if !sign.is_whitespace() {
            let mut name = String::from(sign);
            while let Some((_, c)) = rest.next_if(|(_, c)| !c.is_whitespace() && !SIGNS.contains(c)) {
                name.push(c);
            }
            out.push(Token::Name(column, name));
        }
    }
    Ok(out)
}

struct Parser<'a> {
    text: &'a str,
    names: &'a [String],
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    labels: Vec<usize>,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Expression, QuestionError> {
        self.chain('|', Self::all, Expression::Any)
    }

    fn all(&mut self) -> Result<Expression, QuestionError> {
        self.chain('&', Self::single, Expression::All)
    }

    /// Parts joined by a sign; one part stands for itself.
    fn chain(
        &mut self,
        sign: char,
        part: fn(&mut Self) -> Result<Expression, QuestionError>,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, QuestionError> {
        let first = part(self)?;
        if !self.next_is(sign) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.next_is(sign) {
            self.at += 1;
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn single(&mut self) -> Result<Expression, QuestionError> {
        match self.tokens.get(self.at).cloned() {
            Some(Token::Name(column, name)) => {
                self.at += 1;
                let label = label(self.text, column, &name, self.names)?;
                self.labels.push(label);
                Ok(Expression::Label(label))
            }
            Some(Token::Sign(_, '!')) => Ok(Expression::Not(Box::new(self.deeper(Self::single)?))),
            Some(Token::Sign(_, '(')) => {
                let inner = self.deeper(Self::any)?;
                if !self.next_is(')') {
                    return Err(self.unexpected("& or | or )"));
                }
                self.at += 1;
                Ok(inner)
            }
            _ => Err(self.unexpected("a label's name, ! or (")),
        }
    }

    /// Steps over a sign and reads what it holds.
    fn deeper(
        &mut self,
        part: fn(&mut Self) -> Result<Expression, QuestionError>,
    ) -> Result<Expression, QuestionError> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            let what = "signs ! and ( inside each other";
            let question = self.text.to_string();
            return Err(QuestionError::TooLarge { question, what, found: self.depth, most: DEEPEST });
        }
        let inner = part(self)?;
        self.depth -= 1;
        Ok(inner)
    }

    fn next_is(&self, sign: char) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(_, next)) if *next == sign)
    }

    fn unexpected(&self, expected: &'static str) -> QuestionError {
        let (column, found) = match self.tokens.get(self.at) {
            Some(Token::Sign(column, sign)) => (*column, format!("{sign:?}")),
            Some(Token::Name(column, name)) => (*column, format!("{name:?}")),
            None => (self.text.chars().count() + 1, "the end".to_string()),
        };
        QuestionError::Expected { question: self.text.to_string(), column, expected, found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| if i == 0 { "big cat".to_string() } else { format!("l{i}") }).collect()
    }

    fn truth(text: &str, values: [bool; 3]) -> bool {
        let event = Event::parse(text, &names(3)).unwrap();
        event.truth(&values.map(Some)).unwrap()
    }

    #[test]
    fn expressions_mean_what_rust_says() {
        for code in 0..8 {
            let values @ [a, b, c] = [code & 1 == 1, code & 2 == 2, code & 4 == 4];
            assert_eq!(truth("\"big cat\" & l1 | l2", values), a && b || c);
            assert_eq!(truth("\"big cat\"&(l1|l2)", values), a && (b || c));
            assert_eq!(truth("!!l1 | !(l2 & \"big cat\")", values), b || !(c && a));
        }
    }

    #[test]
    fn errors_name_the_place() {
        let message = |text: &str| Event::parse(text, &names(20)).unwrap_err().to_string();
        assert_eq!(message("l1 & "), "\"l1 & \", column 6: expected a label's name, ! or (, found the end");
        assert!(message("(l1 l2").ends_with("column 5: expected & or | or ), found \"l2\""));
        assert!(message("l1)").ends_with("column 3: expected & or | or the end, found ')'"));
        assert!(message("l1 | cow").contains("column 6: no label is called \"cow\""));
        assert!(message("l1 & \"l2").contains("column 6: expected a closing"));
        assert!(message("").contains("found the end"));
        let many: Vec<String> = (1..=17).map(|i| format!("l{i}")).collect();
        assert!(message(&many.join("|")).contains("has 17 labels, at most 16"));
        assert!(message(&"(".repeat(100_000)).contains("inside each other"));
        assert!(Event::parse(&vec!["l1"; 100_000].join("&"), &names(2)).is_ok());
    }
}
