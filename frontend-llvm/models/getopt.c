/* Command line options, as GNU's getopt reads them: operands may stand before options and are moved behind them, unless
 * the program or POSIXLY_CORRECT asks otherwise. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

char *optarg;
int optind = 1;
int opterr = 1;
int optopt = '?';

/* What is left of an argument with several short options, and the operands that were passed over: those between
 * `first_passed` and `last_passed`. */
static char *cluster;
static int first_passed;
static int last_passed;

enum ordering { PERMUTE, IN_ORDER, STOP_AT_OPERAND };

struct request {
    int argc;
    char **argv;
    const char *letters;
    const struct option *names;
    int *index;
    bool single_dash; /* getopt_long_only */
    bool quiet;
};

static void complain(const struct request *request, const char *format, const char *what, const char *more) {
    if (!request->quiet) {
        struct model_text text;
        char line[160];
        __model_text_begin(&text);
        __model_text_bytes(&text, request->argv[0], strlen(request->argv[0]));
        int length = snprintf(line, sizeof line, format, what, more);
        __model_text_bytes(&text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
        __model_text_write(&text, 2);
        __model_text_end(&text);
    }
}

/* Moves the options in [last_passed, optind) before the operands in [first_passed, last_passed). */
static void move_operands(char **argv) {
    int operands = last_passed - first_passed;
    for (int at = last_passed; at < optind; at++) {
        char *option = argv[at];
        for (int to = at; to > at - operands; to--) {
            argv[to] = argv[to - 1];
        }
        argv[at - operands] = option;
    }
    first_passed += optind - last_passed;
    last_passed = optind;
}

static bool is_operand(const char *argument) { return argument[0] != '-' || argument[1] == '\0'; }

/* False when options are over. */
static bool find_next(const struct request *request, enum ordering ordering) {
    char **argv = request->argv;
    if (last_passed > optind) {
        last_passed = optind;
    }
    if (first_passed > optind) {
        first_passed = optind;
    }
    if (ordering == PERMUTE) {
        if (first_passed != last_passed && last_passed != optind) {
            move_operands(argv);
        } else if (last_passed != optind) {
            first_passed = optind;
        }
        while (optind < request->argc && is_operand(argv[optind])) {
            optind++;
        }
        last_passed = optind;
    }
    if (optind < request->argc && strcmp(argv[optind], "--") == 0) {
        optind++;
        if (first_passed != last_passed && last_passed != optind) {
            move_operands(argv);
        } else if (first_passed == last_passed) {
            first_passed = optind;
        }
        last_passed = request->argc;
        optind = request->argc;
    }
    if (optind >= request->argc) {
        if (first_passed != last_passed) {
            optind = first_passed;
        }
        return false;
    }
    return true;
}

/* The option of that name, or the only one that begins so; `ambiguous` when several do. */
static const struct option *find_name(const struct request *request, const char *name, size_t length, int *index,
                                      bool *ambiguous) {
    const struct option *found = NULL;
    for (int i = 0; request->names[i].name != NULL; i++) {
        const struct option *option = &request->names[i];
        if (strncmp(option->name, name, length) != 0) {
            continue;
        }
        if (strlen(option->name) == length) {
            *index = i;
            *ambiguous = false;
            return option;
        }
        if (found == NULL) {
            found = option;
            *index = i;
        } else if (found->has_arg != option->has_arg || found->flag != option->flag || found->val != option->val) {
            *ambiguous = true;
        }
    }
    return found;
}

static int missing_argument(const struct request *request) { return request->letters[0] == ':' ? ':' : '?'; }

/* -1 when a single dash may still begin short options. */
static int take_long(const struct request *request, char *name, const char *dashes) {
    size_t length = strcspn(name, "=");
    int index = 0;
    bool ambiguous = false;
    const struct option *option = find_name(request, name, length, &index, &ambiguous);
    if (ambiguous) {
        complain(request, ": option '%s%s' is ambiguous\n", dashes, name);
        cluster = NULL;
        optind++;
        optopt = 0;
        return '?';
    }
    if (option == NULL) {
        if (request->single_dash && dashes[1] == '\0' && strchr(request->letters, *name) != NULL) {
            return -1;
        }
        complain(request, ": unrecognized option '%s%s'\n", dashes, name);
        cluster = NULL;
        optind++;
        optopt = 0;
        return '?';
    }
    cluster = NULL;
    optind++;
    if (name[length] == '=') {
        if (option->has_arg == no_argument) {
            complain(request, ": option '%s%s' doesn't allow an argument\n", dashes, option->name);
            optopt = option->val;
            return '?';
        }
        optarg = name + length + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= request->argc) {
            complain(request, ": option '%s%s' requires an argument\n", dashes, option->name);
            optopt = option->val;
            return missing_argument(request);
        }
        optarg = request->argv[optind];
        optind++;
    }
    if (request->index != NULL) {
        *request->index = index;
    }
    if (option->flag != NULL) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

static int take_short(const struct request *request) {
    char letter = *cluster;
    char shown[2] = {letter, '\0'};
    const char *found = letter == ':' || letter == ';' ? NULL : strchr(request->letters, letter);
    cluster++;
    if (*cluster == '\0') {
        optind++;
    }
    if (found == NULL) {
        complain(request, ": invalid option -- '%s'%s\n", shown, "");
        optopt = letter;
        return '?';
    }
    if (found[1] != ':') {
        return letter;
    }
    if (*cluster != '\0') {
        optarg = cluster;
        optind++;
    } else if (found[2] == ':') {
        optarg = NULL;
    } else if (optind >= request->argc) {
        complain(request, ": option requires an argument -- '%s'%s\n", shown, "");
        optopt = letter;
        letter = (char)missing_argument(request);
    } else {
        optarg = request->argv[optind];
        optind++;
    }
    cluster = NULL;
    return letter;
}

static int next_option(struct request request) {
    if (request.argc < 1) {
        return -1;
    }
    optarg = NULL;
    if (optind == 0) {
        optind = 1;
        cluster = NULL;
        first_passed = 1;
        last_passed = 1;
    }
    if (first_passed == 0) {
        first_passed = optind;
        last_passed = optind;
    }
    enum ordering ordering = getenv("POSIXLY_CORRECT") != NULL ? STOP_AT_OPERAND : PERMUTE;
    if (request.letters[0] == '-' || request.letters[0] == '+') {
        ordering = request.letters[0] == '-' ? IN_ORDER : STOP_AT_OPERAND;
        request.letters++;
    }
    request.quiet = opterr == 0 || request.letters[0] == ':';
    if (cluster == NULL || *cluster == '\0') {
        if (!find_next(&request, ordering)) {
            return -1;
        }
        char *argument = request.argv[optind];
        if (is_operand(argument)) {
            if (ordering == STOP_AT_OPERAND) {
                return -1;
            }
            optarg = argument;
            optind++;
            return 1;
        }
        if (request.names != NULL && argument[1] == '-') {
            return take_long(&request, argument + 2, "--");
        }
        if (request.names != NULL && request.single_dash &&
            (argument[2] != '\0' || strchr(request.letters, argument[1]) == NULL)) {
            int code = take_long(&request, argument + 1, "-");
            if (code != -1) {
                return code;
            }
        }
        cluster = argument + 1;
    }
    return take_short(&request);
}

int getopt(int argc, char *const argv[], const char *letters) {
    return next_option((struct request){.argc = argc, .argv = (char **)argv, .letters = letters});
}

int __posix_getopt(int argc, char *const argv[], const char *letters) { return getopt(argc, argv, letters); }

int getopt_long(int argc, char *const argv[], const char *letters, const struct option *names, int *index) {
    return next_option(
        (struct request){.argc = argc, .argv = (char **)argv, .letters = letters, .names = names, .index = index});
}

int getopt_long_only(int argc, char *const argv[], const char *letters, const struct option *names, int *index) {
    return next_option((struct request){.argc = argc,
                                        .argv = (char **)argv,
                                        .letters = letters,
                                        .names = names,
                                        .index = index,
                                        .single_dash = true});
}
