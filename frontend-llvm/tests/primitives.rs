//! The models' header and the IR name the same primitives, with the same arguments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ir::{Primitive, Type};

/// The IR's type for a C parameter or result of the header.
fn scalar(text: &str) -> Option<Type> {
    let text = text.trim();
    if text.contains('*') {
        return Some(Type::Ptr);
    }
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "const" && *word != "_Noreturn").collect();
    match words[..] {
        ["void"] => None,
        ["long", "double", ..] => Some(Type::F80),
        ["unsigned", "long", ..] | ["long", ..] | ["size_t", ..] => Some(Type::I64),
        ["int", ..] => Some(Type::I32),
        ["double", ..] => Some(Type::F64),
        _ => panic!("what is `{text}`?"),
    }
}

/// Name, parameters and result of each function that the header declares.
fn declared() -> BTreeMap<String, (Vec<Type>, Vec<Type>)> {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/heddle.h");
    let text = fs::read_to_string(header).expect("the header is there");
    let without_comments: String =
        text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, rest)| rest)).collect();
    let mut list = BTreeMap::new();
    for statement in without_comments.split(';').filter(|statement| statement.contains("__heddle_")) {
        let at = statement.find("__heddle_").expect("it was found before");
        let open = at + statement[at..].find('(').expect("a function has parameters");
        let close = statement.rfind(')').expect("a function has parameters");
        let result = statement[..at].rsplit(['\n', '}']).next().unwrap_or_default();
        let stars = if statement[..at].ends_with('*') { "*" } else { "" };
        let mut depth = 0;
        let parameters = statement[open + 1..close].split(|character| {
            depth += i32::from(character == '(') - i32::from(character == ')');
            character == ',' && depth == 0
        });
        let parameters: Vec<Type> = parameters.filter_map(scalar).collect();
        let result: Vec<Type> = scalar(&format!("{result}{stars}")).into_iter().collect();
        list.insert(statement[at + "__heddle_".len()..open].replacen('_', ".", 1), (parameters, result));
    }
    list
}

#[test]
fn the_header_declares_the_primitives() {
    let known: BTreeMap<String, (Vec<Type>, Vec<Type>)> = Primitive::ALL
        .iter()
        .map(|primitive| {
            let signature = (primitive.arguments().to_vec(), primitive.results().to_vec());
            (primitive.name().to_owned(), signature)
        })
        .collect();
    assert_eq!(declared(), known);
}
