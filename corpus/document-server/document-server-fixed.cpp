// A server for documents: a pool of threads works off requests, answers are cached, a logger writes in a thread of its own.
// The cache computes a missing answer without its lock, and looks again before it stores it.
#include "cache-fixed.hpp"
#include "session.hpp"

int main() { return run_session(); }
