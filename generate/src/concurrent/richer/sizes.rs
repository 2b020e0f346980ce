//! Operations on blocks whose sizes depend on other threads: allocation with a shared size, filling and copying with
//! its later value, resizing, handing over, and freeing.

use super::fragment::{Fragment, does};

pub const FRAGMENTS: [Fragment; 24] = [
    does(1, "count = $n;"),
    does(2, "count++;"),
    does(2, "if (count > $k) count = $k;"),
    does(1, "{\nchar *own = malloc(count);\nown[$k] = $n;\nr = own[$k];\nfree(own);\n}"),
    does(2, "{\nchar *own = malloc(count);\nown[count - 1] = $n;\nfree(own);\n}"),
    does(2, "{\nchar *own = malloc(count + $k);\nmemset(own, $n, count);\nr = own[0];\nfree(own);\n}"),
    does(1, "{\nchar own[3];\nmemset(own, $n, count);\nr = own[$k];\n}"),
    does(1, "{\nchar *own = malloc($n + 1);\nmemcpy(own, text, count);\nr = own[$k];\nfree(own);\n}"),
    does(1, "{\nchar *own = malloc($n);\nmemmove(own, text + $k, count);\nr = own[0];\nfree(own);\n}"),
    does(2, "{\nchar *own = calloc(count, 2);\nr = own[count];\nfree(own);\n}"),
    does(2, "{\nint *own = malloc(count * sizeof *own);\nown[$k] = $n;\nr = own[$k] + count;\nfree(own);\n}"),
    does(2, "{\nchar *own = malloc($n);\nown = realloc(own, count + $k);\nown[count] = $n;\nfree(own);\n}"),
    does(
        1,
        "{\nint length = count;\nchar *own = malloc(length);\nfor (int i = 0; i < length; i++) own[i] = i;\nr += own[0];\nfree(own);\n}",
    ),
    does(2, "block = malloc(count + 1);"),
    does(3, "{\nchar *own = malloc(count + 1);\nown[count] = $n;\nblock = own;\n}"),
    does(3, "if (block) block[$k] = $n;"),
    does(3, "if (block) r = block[$n];"),
    does(4, "if (block) block[count] = $n;"),
    does(6, "block = realloc(block, count + 1);"),
    does(3, "{\nchar *own = block;\nblock = NULL;\nfree(own);\n}"),
    does(5, "if (block) memset(block, $n, count);"),
    does(3, "bytes[count] = $n;"),
    does(6, "memcpy(bytes, text, count);"),
    does(6, "memmove(bytes + 1, bytes, count);"),
];

pub const CONDITIONS: [&str; 3] = ["count > $k", "block != NULL", "bytes[$k] == $k"];

pub const DECLARATIONS: &str =
    "static int count = 1;\nstatic char *block;\nstatic char bytes[4];\nstatic const char text[4] = {1, 2, 3, 4};";

pub const VALUES: [&str; 4] = ["count", "(block != NULL)", "bytes[1]", "(block ? block[0] : 3)"];
