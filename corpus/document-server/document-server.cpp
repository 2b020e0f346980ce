// A server for documents: a pool of threads works off requests, answers are cached, a logger writes in a thread of its own.
// The cache computes a missing answer without its lock and does not look again before it stores it: two requests for the
// same answer put its key into the order twice.
#include "cache.hpp"
#include "session.hpp"

int main() { return run_session(); }
