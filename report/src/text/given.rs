//! The inputs that a checked program uses: their bounds, and the failing inputs.

use crate::model::{Finding, Given, GivenArguments, GivenStdin, Input, InputPart, NeededInput};
use crate::words::grouped;

impl Given {
    /// The bounds on inputs as text; empty if the program uses none.
    pub(super) fn in_words(&self) -> String {
        let mut words = Vec::new();
        match self.arguments {
            None => {}
            Some(GivenArguments::These(0)) => words.push("no arguments".to_owned()),
            Some(GivenArguments::These(1)) => words.push("the one argument given".to_owned()),
            Some(GivenArguments::These(many)) => words.push(format!("the {many} arguments given")),
            Some(GivenArguments::Every { count, length }) => {
                let (arguments, bytes) = (grouped(u64::from(count), "argument"), grouped(u64::from(length), "byte"));
                words.push(format!("every list of up to {arguments} of up to {bytes}"));
            }
        }
        match self.stdin {
            None => {}
            Some(GivenStdin::These(0)) => words.push("an empty stdin".to_owned()),
            Some(GivenStdin::These(bytes)) => {
                words.push(format!("the stdin given ({})", grouped(bytes as u64, "byte")));
            }
            Some(GivenStdin::Every(bytes)) => {
                words.push(format!("every stdin of up to {}", grouped(u64::from(bytes), "byte")));
            }
        }
        if !self.files.is_empty() {
            words.push(format!("files as they are now ({})", self.files.join(", ")));
        }
        if !self.variables.is_empty() {
            words.push(format!("environment variables as given ({})", self.variables.join(", ")));
        }
        words.join(", ")
    }

    /// The symbolic inputs with which the failure was found.
    pub(super) fn failing(&self, finding: &Finding) -> Option<String> {
        let inputs = &finding.inputs;
        let mut words = Vec::new();
        if let Some(GivenArguments::Every { .. }) = self.arguments {
            let arguments = inputs.iter().filter_map(|input| match input {
                Input::Argument(bytes) => Some(bytes),
                _ => None,
            });
            let before = words.len();
            let named = arguments.enumerate();
            words.extend(named.map(|(number, bytes)| format!("argument {} = {}", number + 1, quoted(bytes))));
            if words.len() == before {
                words.push("no arguments".to_owned());
            }
        }
        if let Some(GivenStdin::Every(_)) = self.stdin {
            let stdin = inputs.iter().find_map(|input| match input {
                Input::Stdin(bytes) => Some(bytes),
                _ => None,
            });
            words.push(match stdin {
                Some(bytes) => format!("stdin = {}: {}", grouped(bytes.len() as u64, "byte"), quoted(bytes)),
                None => "an empty stdin".to_owned(),
            });
        }
        (!words.is_empty()).then(|| words.join(", "))
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

/// The required value of an input, as text.
pub(super) fn needed(input: &NeededInput) -> Option<String> {
    let value = &input.value;
    Some(match input.part? {
        InputPart::ArgumentCount => match value.as_str() {
            "0" => "there are no arguments".to_owned(),
            "1" => "there is 1 argument".to_owned(),
            many => format!("there are {many} arguments"),
        },
        InputPart::ArgumentByte { argument, byte } => {
            format!("byte {} of argument {} is {}", byte + 1, argument + 1, letter(value))
        }
        InputPart::StdinLength => match value.as_str() {
            "0" => "stdin is empty".to_owned(),
            "1" => "stdin has 1 byte".to_owned(),
            many => format!("stdin has {many} bytes"),
        },
        InputPart::StdinByte(byte) => format!("byte {} of stdin is {}", byte + 1, letter(value)),
    })
}

fn letter(value: &str) -> String {
    match value.parse::<u8>() {
        Ok(byte) if byte.is_ascii_graphic() || byte == b' ' => format!("'{}'", char::from(byte)),
        _ => value.to_owned(),
    }
}
