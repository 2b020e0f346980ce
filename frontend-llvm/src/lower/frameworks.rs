//! Test frameworks: functions that learn that an expectation has failed begin with a call of a model, which fails the program
//! at the line of the expectation (`models/test_frameworks.c`). A failed expectation is then an assertion, whatever the
//! framework does with it afterwards.

/// Functions of GoogleTest, doctest and Catch2 by their mangled names, each with the model that is called with its arguments.
pub const REPORTERS: &[(&str, &str)] = &[
    (
        "_ZN7testing8internal35DefaultGlobalTestPartResultReporter20ReportTestPartResultERKNS_14TestPartResultE",
        "__model_gtest_reports",
    ),
    ("_ZN7doctest6detail13ResultBuilder3logEv", "__model_doctest_logs"),
    ("_ZN5Catch10RunContext14assertionEndedERKNS_15AssertionResultE", "__model_catch_ends"),
];

/// The model that a function begins with.
pub fn model_of(function: &str) -> Option<&'static str> {
    REPORTERS.iter().find(|(name, _)| *name == function).map(|(_, model)| *model)
}
