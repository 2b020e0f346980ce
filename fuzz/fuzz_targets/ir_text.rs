//! Every text is a program or is refused, and a parsed program is unchanged by printing and parsing.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let Ok(program) = ir::parse(source) else { return };
    let _ = ir::verify(&program);
    let text = program.to_string();
    let again = ir::parse(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(again, program, "{text}");
    assert_eq!(ir::fingerprint(&again), ir::fingerprint(&program));
});
