//! Mulan's label files: an XML that names the label attributes of an ARFF file.

use std::path::{Path, PathBuf};

use quick_xml::XmlVersion;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};

use super::source::Source;
use crate::error::{FormatError, Result, place_in_text};

/// The label file that belongs to an ARFF file: `NAME.xml` for `NAME.arff` and `NAME.arff.gz`.
pub(super) fn path_beside(arff: &Path) -> PathBuf {
    super::without_gz(arff).with_extension("xml")
}

/// The names in a label file, in its order; a label inside another one is a label like the others.
pub(super) fn read(path: &Path) -> Result<Vec<String>> {
    let text = Source::open(path)?.text()?;
    let mut reader = quick_xml::Reader::from_str(&text);
    let mut names: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    loop {
        let offset = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let wrong = |problem: String| FormatError::Xml { at: place_in_text(path, &text, offset), problem };
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
            FormatError::Xml { at: place_in_text(path, &text, at), problem: error.to_string() }
        })?;
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                let expected = if depth == 0 { "labels" } else { "label" };
                let found = element.local_name();
                if found.as_ref() != expected {
                    return Err(wrong(format!("expected <{expected}>, found <{}>", found.as_ref())).into());
                }
                if depth > 0 {
                    let name = name_of(element).map_err(wrong)?;
                    if names.contains(&name) {
                        let at = place_in_text(path, &text, offset);
                        return Err(FormatError::DuplicateName { at, what: "label", name }.into());
                    }
                    names.push(name);
                }
                depth += usize::from(matches!(event, Event::Start(_)));
            }
            Event::End(_) => depth -= 1,
            Event::Text(content) if !content.trim_ascii().is_empty() => {
                return Err(wrong("expected a tag, found text".to_string()).into());
            }
            Event::Eof if depth > 0 => return Err(wrong("the file ends inside <labels>".to_string()).into()),
            Event::Eof if names.is_empty() => return Err(wrong("the file names no label".to_string()).into()),
            Event::Eof => return Ok(names),
            _ => {}
        }
    }
}

fn name_of(element: &BytesStart<'_>) -> Result<String, String> {
    let attribute = element.try_get_attribute("name").map_err(|error| error.to_string())?;
    let attribute = attribute.ok_or("a <label> has no attribute `name`")?;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| error.to_string())?;
    Ok(value.into_owned())
}

/// The text of a label file.
pub(super) fn text(names: &[String]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    text.push_str("<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
    for name in names {
        // Readers turn a plain line end or tab in an attribute into a blank; a reference survives.
        let name = escape(name.as_str()).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;");
        text.push_str(&format!("<label name=\"{name}\"></label>\n"));
    }
    text.push_str("</labels>\n");
    text
}
