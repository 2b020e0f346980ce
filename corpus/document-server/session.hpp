// A session: documents are added, three clients search at once, and everything is counted in the end.
#pragma once

#include "server.hpp"

#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <vector>

// Asks one request after the other, and gathers the answers.
class Client {
public:
    Client(Server &server, std::vector<std::string> requests)
        : server_(server), requests_(std::move(requests)), thread_([this] { run(); }) {}

    ~Client() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    // All answers, when there are no more to come.
    const std::vector<std::string> &answers() {
        if (thread_.joinable()) {
            thread_.join();
        }
        return answers_;
    }

private:
    void run() {
        for (const std::string &request : requests_) {
            try {
                answers_.push_back(server_.ask(request)->get());
            } catch (const std::exception &error) {
                answers_.push_back(std::string("! ") + error.what());
            }
        }
    }

    Server &server_;
    std::vector<std::string> requests_;
    std::vector<std::string> answers_;
    std::thread thread_;
};

inline void fill(Server &server) {
    const std::vector<std::string> requests = {
        "add 1 | Looms | a loom holds the warp",
        "add 2 | Weaving | the weft passes the warp",
        "add 3 | Heddles | a heddle parts the warp of a loom",
    };
    std::vector<Server::Answer> answers;
    for (const std::string &request : requests) {
        answers.push_back(server.ask(request));
    }
    for (Server::Answer &answer : answers) {
        answer->get();
    }
}

inline int run_session() {
    auto lines = std::make_shared<MemorySink>();
    auto important = std::make_shared<MemorySink>();
    {
        auto logger = std::make_shared<Logger>(
            std::vector<std::shared_ptr<Sink>>{lines, std::make_shared<FilterSink>(Level::error, important)});
        Server server(logger, 4);
        fill(server);
        {
            Client reader(server, {"search warp and loom", "show 2"});
            Client other(server, {"search not (loom or heddle)", "show nine"});
            Client twin(server, {"search warp and loom", "stats"});
            assert(reader.answers()[0] == "Looms, Heddles");
            assert(reader.answers()[1] == "Weaving: the weft passes the warp");
            assert(other.answers()[0] == "Weaving");
            assert(other.answers()[1] == "! nine is no number");
            assert(twin.answers()[0] == "Looms, Heddles");
        }
        server.stop();
        server.check();
        assert(server.statistics().count("search") == 3);
        assert(server.index().size() == 3);
        assert(logger->count(Level::error) == 1);
    }
    assert(lines->lines().size() == 4);
    assert(important->lines().size() == 1);
    return 0;
}
