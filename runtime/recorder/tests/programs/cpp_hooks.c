// What the C++ program needs of the recorder.
#include "recorded.h"
