/* The standard streams. The three pointers, and the streams for output, are constants: reading a constant is no step,
 * and so `fprintf(stderr, …)` is the single step that writes. In a program that assigns to a pointer or takes its address,
 * the front end makes a variable of it.
 *
 * The pointers get their names as assembler names, because the header declares them as variables. */
#include <stdio.h>

#include "model.h"

static FILE standard_input = {._fileno = 0};
static const FILE standard_output = {._fileno = 1, ._flags2 = MODEL_STREAM_CONSTANT};
static const FILE standard_error = {._fileno = 2, ._flags2 = MODEL_STREAM_CONSTANT};

FILE *const input_pointer __asm__("stdin") = &standard_input;
FILE *const output_pointer __asm__("stdout") = (FILE *)&standard_output;
FILE *const error_pointer __asm__("stderr") = (FILE *)&standard_error;
