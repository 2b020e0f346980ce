#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Ward {
    std::mutex mutex;
    std::vector<std::string> patients;
};

struct Journal {
    std::mutex mutex;
    std::vector<std::string> entries;
};

void write_entry(Journal& journal, const std::string& text)
{
    std::lock_guard guard(journal.mutex);
    journal.entries.push_back(text);
}

void admit(Ward& ward, Journal& journal, const std::string& name)
{
    std::lock_guard guard(ward.mutex);
    ward.patients.push_back(name);
    write_entry(journal, "admitted " + name);
}

std::size_t head_count(Ward& ward)
{
    std::lock_guard guard(ward.mutex);
    return ward.patients.size();
}

void daily_report(Ward& ward, Journal& journal)
{
    std::lock_guard guard(journal.mutex);
    std::string line = std::to_string(head_count(ward)) + " patients";
    journal.entries.push_back(line);
}

int main()
{
    Ward ward;
    Journal journal;

    std::thread nurse([&] { admit(ward, journal, "Ruiz"); });
    std::thread clerk([&] { daily_report(ward, journal); });
    nurse.join();
    clerk.join();

    for (const auto& e : journal.entries)
        std::cout << e << '\n';
}
