//! Templates, put together from what they must be taken apart into.

use proptest::prelude::*;

use super::*;
use crate::{cases::cases, template::parse::OPEN};

/// What a template is written from.
#[derive(Debug, Clone)]
enum Part {
    Literal(String),
    Value { before: String, name: String, after: String },
}

impl Part {
    fn written(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Value { before, name, after } => format!("${{{{{before}{name}{after}}}}}"),
        }
    }
}

fn literal() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "$", "{", "{{", "}", "}}", "$$", "é", "\n", " ", "a", "\\", "'", "${",
    ]);
    prop::collection::vec(piece, 0..6)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("it begins no expression", |text| !text.contains(OPEN))
}

fn part() -> impl Strategy<Value = Part> {
    let name = "[A-Za-z_][A-Za-z0-9_-]{0,3}(\\.[A-Za-z0-9_-]{1,3}){0,2}";
    prop_oneof![
        literal().prop_map(Part::Literal),
        ("[ \t\n]{0,2}", name, "[ \t\n]{0,2}").prop_map(|(before, name, after)| Part::Value {
            before,
            name,
            after
        }),
    ]
}

/// Parts that make no expression where they meet.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec(part(), 0..8).prop_filter("an expression across parts", |parts| {
        let whole: String = parts.iter().map(Part::written).collect();
        let values = parts.iter().filter(|part| matches!(part, Part::Value { .. }));
        whole.matches(OPEN).count() == values.count()
    })
}

/// The value of a name. Some values would be an expression if they were rendered again.
fn value(name: &str) -> String {
    match name.len() % 4 {
        0 => String::new(),
        1 => format!("${{{{ {name} }}}}"),
        2 => format!("é}}}}{name}${{{{"),
        _ => name.to_uppercase(),
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_template_is_taken_apart_into_what_it_was_written_from(parts in parts()) {
        let source: String = parts.iter().map(Part::written).collect();
        let template = Template::parse(&source).unwrap();
        let mut names = Vec::new();
        let mut at = 0;
        for part in &parts {
            if let Part::Value { name, .. } = part {
                names.push((name.as_str(), at));
            }
            at += part.written().len();
        }
        prop_assert_eq!(template.names().collect::<Vec<_>>(), names);
        let again: String = template.pieces().iter().map(|piece| match piece {
            Piece::Literal(text) => text.as_str(),
            Piece::Value { at, .. } => &source[at.clone()],
        }).collect();
        prop_assert_eq!(again, source);
    }

    #[test]
    fn what_is_put_in_is_the_value_and_what_stands_there_stays(parts in parts()) {
        let source: String = parts.iter().map(Part::written).collect();
        let rendered = Template::parse(&source).unwrap().render(|name| Some(value(name))).unwrap();
        let mut expected = Rendered::default();
        for part in &parts {
            match part {
                Part::Literal(text) => expected.text.push_str(text),
                Part::Value { name, .. } => {
                    let start = expected.text.len();
                    expected.text.push_str(&value(name));
                    expected.data.push(start..expected.text.len());
                }
            }
        }
        prop_assert_eq!(rendered, expected);
    }

    #[test]
    fn any_text_is_taken_apart_or_refused_where_an_expression_begins(
        text in "([${} a-b.é\n9-]|\\$\\{\\{ ?|\\}\\}){0,14}",
    ) {
        match Template::parse(&text) {
            Ok(template) => prop_assert_eq!(template.names().count(), text.matches(OPEN).count()),
            Err(bad) => {
                prop_assert!(text[bad.offset..].starts_with(OPEN));
                prop_assert!(Template::parse(&text[..bad.offset]).is_ok());
            }
        }
    }

    #[test]
    fn what_is_said_of_a_bad_template_is_short(part in "[ \n]{1,3}|[a-z] ?", times in 1..2_000_usize) {
        if let Err(bad) = Template::parse(&format!("${{{{{}}}}}", part.repeat(times))) {
            prop_assert!(bad.to_string().chars().count() < 200, "{}", bad);
        }
    }
}
