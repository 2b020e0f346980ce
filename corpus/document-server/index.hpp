// An inverted index: which documents have which words, and how often.
#pragma once

#include "text.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

using DocumentId = int;

class UnknownDocument : public std::out_of_range {
public:
    explicit UnknownDocument(DocumentId id) : std::out_of_range("no document " + std::to_string(id)), id_(id) {}
    DocumentId id() const { return id_; }

private:
    DocumentId id_;
};

struct Document {
    DocumentId id = 0;
    std::string title;
    std::string body;
};

struct Posting {
    DocumentId document;
    int count;
};

class Index {
public:
    // Adds a document, or replaces the one of that number; returns how many different words it has.
    std::size_t add(Document document) {
        std::map<std::string, int> counts;
        for (const std::string &word : text::words(document.title + " " + document.body)) {
            counts[word]++;
        }
        std::lock_guard<std::mutex> guard(lock_);
        forget(document.id);
        for (const auto &[word, count] : counts) {
            postings_[word].push_back({document.id, count});
        }
        documents_[document.id] = std::move(document);
        version_++;
        return counts.size();
    }

    bool remove(DocumentId id) {
        std::lock_guard<std::mutex> guard(lock_);
        if (documents_.count(id) == 0) {
            return false;
        }
        forget(id);
        version_++;
        return true;
    }

    Document document(DocumentId id) const {
        std::lock_guard<std::mutex> guard(lock_);
        auto found = documents_.find(id);
        if (found == documents_.end()) {
            throw UnknownDocument(id);
        }
        return found->second;
    }

    std::set<DocumentId> having(const std::string &word) const {
        std::lock_guard<std::mutex> guard(lock_);
        std::set<DocumentId> ids;
        auto found = postings_.find(word);
        if (found != postings_.end()) {
            for (const Posting &posting : found->second) {
                ids.insert(posting.document);
            }
        }
        return ids;
    }

    std::set<DocumentId> everything() const {
        std::lock_guard<std::mutex> guard(lock_);
        std::set<DocumentId> ids;
        for (const auto &entry : documents_) {
            ids.insert(entry.first);
        }
        return ids;
    }

    int frequency(const std::string &word, DocumentId id) const {
        std::lock_guard<std::mutex> guard(lock_);
        auto found = postings_.find(word);
        if (found == postings_.end()) {
            return 0;
        }
        auto posting = std::find_if(found->second.begin(), found->second.end(),
                                    [id](const Posting &posting) { return posting.document == id; });
        return posting == found->second.end() ? 0 : posting->count;
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> guard(lock_);
        return documents_.size();
    }

    long version() const {
        std::lock_guard<std::mutex> guard(lock_);
        return version_;
    }

private:
    // Called with the lock held.
    void forget(DocumentId id) {
        if (documents_.erase(id) == 0) {
            return;
        }
        for (auto entry = postings_.begin(); entry != postings_.end();) {
            auto &list = entry->second;
            list.erase(std::remove_if(list.begin(), list.end(),
                                      [id](const Posting &posting) { return posting.document == id; }),
                       list.end());
            entry = list.empty() ? postings_.erase(entry) : std::next(entry);
        }
    }

    mutable std::mutex lock_;
    std::unordered_map<std::string, std::vector<Posting>> postings_;
    std::map<DocumentId, Document> documents_;
    long version_ = 0;
};
