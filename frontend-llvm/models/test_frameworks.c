/* Test frameworks: where one of their functions learns that an expectation has failed, the program fails, at the line of the
 * expectation. The front end calls these at the begin of the frameworks' functions (lower/frameworks.rs), with the
 * arguments of those. The objects are laid out as by GoogleTest 1.8 to 1.14, doctest 2.4 and Catch2 2.x. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model.h"

struct cxx_string {
    const char *text;
    size_t length;
    char buffer[16];
};

/* Fails with a text of several lines as one. */
static void fail_with(const char *text, size_t length, const char *file, int line) {
    char condition[400];
    size_t used = 0;
    bool space = false;
    for (size_t i = 0; i < length && used + 2 < sizeof condition; i++) {
        if (text[i] == '\n' || text[i] == ' ') {
            space = used != 0;
            continue;
        }
        if (space) {
            condition[used++] = ' ';
        }
        space = false;
        condition[used++] = text[i];
    }
    condition[used] = '\0';
    __heddle_process_fail(condition, file, line, NULL);
}

/* testing::TestPartResult */
struct gtest_result {
    enum { GTEST_SUCCESS, GTEST_NON_FATAL, GTEST_FATAL, GTEST_SKIPPED } type;
    struct cxx_string file;
    int line;
    struct cxx_string summary;
};

void __model_gtest_reports(const void *reporter, const struct gtest_result *result) {
    (void)reporter;
    if (result->type == GTEST_NON_FATAL || result->type == GTEST_FATAL) {
        fail_with(result->summary.text, result->summary.length, result->file.text, result->line);
    }
}

/* doctest::TestCaseData, as far as it is asked here. */
struct doctest_case {
    char file[24];
    unsigned line;
    const char *name;
    const char *suite;
    const char *description;
    bool skip, no_breaks, no_output, may_fail, should_fail;
    int expected_failures;
};

/* doctest::AssertData, which a ResultBuilder begins with. */
struct doctest_assertion {
    const struct doctest_case *test;
    int kind;
    const char *file;
    int line;
    const char *expression;
    bool failed;
};

enum { DOCTEST_WARNS = 1 };

void __model_doctest_logs(const struct doctest_assertion *assertion) {
    const struct doctest_case *test = assertion->test;
    bool counts = test == NULL || (!test->may_fail && !test->should_fail && test->expected_failures == 0);
    if (assertion->failed && !(assertion->kind & DOCTEST_WARNS) && counts) {
        fail_with(assertion->expression, strlen(assertion->expression), assertion->file, assertion->line);
    }
}

/* Catch::RunContext and Catch::TestCase, as far as they are asked here. */
struct catch_test {
    struct cxx_string texts[3];
    void *tags[6];
    const char *file;
    size_t line;
    int properties;
};

struct catch_context {
    void *bases[2];
    struct cxx_string run;
    void *context;
    const struct catch_test *test;
};

/* Catch::AssertionResult */
struct catch_result {
    const char *macro;
    size_t macro_length;
    const char *file;
    size_t line;
    const char *expression;
    size_t expression_length;
    int disposition;
    struct cxx_string message;
    struct cxx_string reconstructed;
    struct {
        void *expression;
        bool negated;
    } lazy;
    int type;
};

enum { CATCH_FAILURE = 0x10, CATCH_SUPPRESSED = 8, CATCH_MAY_FAIL = 4 | 8 };

void __model_catch_ends(const struct catch_context *context, const struct catch_result *result) {
    bool failed = (result->type & CATCH_FAILURE) != 0 && !(result->disposition & CATCH_SUPPRESSED);
    if (!failed || (context->test != NULL && (context->test->properties & CATCH_MAY_FAIL))) {
        return;
    }
    bool has_expression = result->expression_length != 0;
    fail_with(has_expression ? result->expression : result->message.text,
              has_expression ? result->expression_length : result->message.length, result->file, (int)result->line);
}
