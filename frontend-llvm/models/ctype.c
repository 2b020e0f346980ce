/* Classes of characters in the C locale: the functions, and the tables that the C library's macros look into. A table
 * is reached with indices from -128 to 255, so that a negative char finds its place. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>

#undef isalnum
#undef isalpha
#undef isblank
#undef iscntrl
#undef isdigit
#undef isgraph
#undef islower
#undef isprint
#undef ispunct
#undef isspace
#undef isupper
#undef isxdigit
#undef isascii
#undef toascii
#undef tolower
#undef toupper
#undef _tolower
#undef _toupper

enum {
    CONTROL = _IScntrl,
    SPACE = _ISspace,
    BLANK = _ISblank,
    PUNCTUATION = _ISprint | _ISgraph | _ISpunct,
    DIGIT = _ISprint | _ISgraph | _ISalnum | _ISdigit | _ISxdigit,
    UPPER = _ISprint | _ISgraph | _ISalnum | _ISalpha | _ISupper,
    LOWER = _ISprint | _ISgraph | _ISalnum | _ISalpha | _ISlower,
};

#define AT(byte) [128 + (byte)]
#define RANGE(first, last) [128 + (first)... 128 + (last)]

static const unsigned short classes[384] = {
    RANGE(0, 8) = CONTROL,
    AT('\t') = CONTROL | SPACE | BLANK,
    RANGE('\n', '\r') = CONTROL | SPACE,
    RANGE(14, 31) = CONTROL,
    AT(' ') = _ISprint | SPACE | BLANK,
    RANGE('!', '/') = PUNCTUATION,
    RANGE('0', '9') = DIGIT,
    RANGE(':', '@') = PUNCTUATION,
    RANGE('A', 'F') = UPPER | _ISxdigit,
    RANGE('G', 'Z') = UPPER,
    RANGE('[', '`') = PUNCTUATION,
    RANGE('a', 'f') = LOWER | _ISxdigit,
    RANGE('g', 'z') = LOWER,
    RANGE('{', '~') = PUNCTUATION,
    AT(127) = CONTROL,
};

#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define EIGHT(n) FOUR(n), FOUR((n) + 4)
#define THIRTY_TWO(n) EIGHT(n), EIGHT((n) + 8), EIGHT((n) + 16), EIGHT((n) + 24)
#define LETTERS(n) EIGHT(n), EIGHT((n) + 8), EIGHT((n) + 16), (n) + 24, (n) + 25
/* -128 to -2 as the bytes that they stand for, and -1 as the end of file. */
#define NEGATIVE                                                                                                       \
    THIRTY_TWO(128), THIRTY_TWO(160), THIRTY_TWO(192), EIGHT(224), EIGHT(232), EIGHT(240), FOUR(248), 252, 253, 254, -1
#define BEFORE_LETTERS THIRTY_TWO(0), THIRTY_TWO(32), '@'
#define BETWEEN_LETTERS FOUR('['), '_', '`'
#define BEHIND_LETTERS                                                                                                 \
    FOUR('{'), 127, THIRTY_TWO(128), THIRTY_TWO(160), THIRTY_TWO(192), THIRTY_TWO(224)

static const int32_t lower[384] = {
    NEGATIVE, BEFORE_LETTERS, LETTERS('a'), BETWEEN_LETTERS, LETTERS('a'), BEHIND_LETTERS,
};

static const int32_t upper[384] = {
    NEGATIVE, BEFORE_LETTERS, LETTERS('A'), BETWEEN_LETTERS, LETTERS('A'), BEHIND_LETTERS,
};

static const unsigned short *const classes_at_zero = classes + 128;
static const int32_t *const lower_at_zero = lower + 128;
static const int32_t *const upper_at_zero = upper + 128;

const unsigned short **__ctype_b_loc(void) { return (const unsigned short **)&classes_at_zero; }

const int32_t **__ctype_tolower_loc(void) { return (const int32_t **)&lower_at_zero; }

const int32_t **__ctype_toupper_loc(void) { return (const int32_t **)&upper_at_zero; }

size_t __ctype_get_mb_cur_max(void) { return 1; }

static int has(int byte, int class) { return byte >= -128 && byte < 256 ? classes[byte + 128] & class : 0; }

int isalnum(int byte) { return has(byte, _ISalnum); }

int isalpha(int byte) { return has(byte, _ISalpha); }

int isblank(int byte) { return has(byte, _ISblank); }

int iscntrl(int byte) { return has(byte, _IScntrl); }

int isdigit(int byte) { return has(byte, _ISdigit); }

int isgraph(int byte) { return has(byte, _ISgraph); }

int islower(int byte) { return has(byte, _ISlower); }

int isprint(int byte) { return has(byte, _ISprint); }

int ispunct(int byte) { return has(byte, _ISpunct); }

int isspace(int byte) { return has(byte, _ISspace); }

int isupper(int byte) { return has(byte, _ISupper); }

int isxdigit(int byte) { return has(byte, _ISxdigit); }

int isascii(int byte) { return byte >= 0 && byte < 128; }

int toascii(int byte) { return byte & 127; }

int tolower(int byte) { return byte >= -128 && byte < 256 ? lower[byte + 128] : byte; }

int toupper(int byte) { return byte >= -128 && byte < 256 ? upper[byte + 128] : byte; }

int _tolower(int byte) { return byte - 'A' + 'a'; }

int _toupper(int byte) { return byte - 'a' + 'A'; }
