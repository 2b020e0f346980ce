// Queries: `weft and (warp or not loom)` as a tree of terms, its parser and its meaning.
#pragma once

#include "index.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

class BadQuery : public std::invalid_argument {
public:
    BadQuery(const std::string &what, std::size_t position)
        : std::invalid_argument(text::format("{} at word {}", what, position)) {}
};

class Query {
public:
    virtual ~Query() = default;
    virtual std::set<DocumentId> matches(const Index &index) const = 0;
    virtual void words(std::vector<std::string> &found) const = 0;
    virtual std::string shown() const = 0;
};

using QueryPointer = std::unique_ptr<Query>;

class WordQuery : public Query {
public:
    explicit WordQuery(std::string word) : word_(std::move(word)) {}
    std::set<DocumentId> matches(const Index &index) const override { return index.having(word_); }
    void words(std::vector<std::string> &found) const override { found.push_back(word_); }
    std::string shown() const override { return word_; }

private:
    std::string word_;
};

class NotQuery : public Query {
public:
    explicit NotQuery(QueryPointer inner) : inner_(std::move(inner)) {}

    std::set<DocumentId> matches(const Index &index) const override {
        std::set<DocumentId> all = index.everything();
        for (DocumentId id : inner_->matches(index)) {
            all.erase(id);
        }
        return all;
    }

    void words(std::vector<std::string> &) const override {}
    std::string shown() const override { return "(not " + inner_->shown() + ")"; }

private:
    QueryPointer inner_;
};

class PairQuery : public Query {
public:
    PairQuery(QueryPointer left, QueryPointer right) : left_(std::move(left)), right_(std::move(right)) {}

    void words(std::vector<std::string> &found) const override {
        left_->words(found);
        right_->words(found);
    }

protected:
    QueryPointer left_;
    QueryPointer right_;
};

class AndQuery : public PairQuery {
public:
    using PairQuery::PairQuery;

    std::set<DocumentId> matches(const Index &index) const override {
        std::set<DocumentId> left = left_->matches(index);
        std::set<DocumentId> right = right_->matches(index);
        std::set<DocumentId> both;
        std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::inserter(both, both.end()));
        return both;
    }

    std::string shown() const override { return "(" + left_->shown() + " and " + right_->shown() + ")"; }
};

class OrQuery : public PairQuery {
public:
    using PairQuery::PairQuery;

    std::set<DocumentId> matches(const Index &index) const override {
        std::set<DocumentId> either = left_->matches(index);
        for (DocumentId id : right_->matches(index)) {
            either.insert(id);
        }
        return either;
    }

    std::string shown() const override { return "(" + left_->shown() + " or " + right_->shown() + ")"; }
};

// A parser by recursive descent; `or` binds least, `not` most.
class QueryParser {
public:
    explicit QueryParser(const std::string &text) {
        std::string spaced;
        for (char letter : text) {
            if (letter == '(' || letter == ')') {
                spaced += ' ';
                spaced += letter;
                spaced += ' ';
            } else {
                spaced += letter;
            }
        }
        for (const std::string &part : text::split(spaced, ' ')) {
            std::string word = text::lower(text::trim(part));
            if (!word.empty()) {
                tokens_.push_back(word);
            }
        }
    }

    QueryPointer parse() {
        QueryPointer query = either();
        if (at_ != tokens_.size()) {
            throw BadQuery("a word too many", at_);
        }
        return query;
    }

private:
    QueryPointer either() {
        QueryPointer left = both();
        while (accept("or")) {
            left = std::make_unique<OrQuery>(std::move(left), both());
        }
        return left;
    }

    QueryPointer both() {
        QueryPointer left = single();
        while (accept("and")) {
            left = std::make_unique<AndQuery>(std::move(left), single());
        }
        return left;
    }

    QueryPointer single() {
        if (accept("not")) {
            return std::make_unique<NotQuery>(single());
        }
        if (accept("(")) {
            QueryPointer inner = either();
            if (!accept(")")) {
                throw BadQuery("a missing bracket", at_);
            }
            return inner;
        }
        if (at_ == tokens_.size()) {
            throw BadQuery("a missing word", at_);
        }
        return std::make_unique<WordQuery>(tokens_[at_++]);
    }

    bool accept(const std::string &token) {
        if (at_ < tokens_.size() && tokens_[at_] == token) {
            at_++;
            return true;
        }
        return false;
    }

    std::vector<std::string> tokens_;
    std::size_t at_ = 0;
};
