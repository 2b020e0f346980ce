// Features: ofstream, ifstream, fstream: formatted and unformatted output and input, append, seek, tell, putback, move, and files that
// are not there.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

static const char *const NAME = "streams.txt";

static void write_lines()
{
    std::ofstream out(NAME);
    out << "first " << 1 << '\n' << "second " << 2.5 << '\n';
    out.write("third 3\n", 8);
    out.put('x').put('\n');
    std::cout << "written " << out.good() << " at " << out.tellp() << '\n';
}

static void read_lines()
{
    std::ifstream in(NAME);
    std::string word, line;
    int number;
    in >> word >> number;
    std::cout << word << ' ' << number << '\n';
    std::getline(in, line);
    int lines = 0;
    while (std::getline(in, line))
        std::cout << ++lines << ": " << line << '\n';
    std::cout << "end " << in.eof() << ", failed " << in.fail() << '\n';
    in.clear();
    in.seekg(6);
    std::cout << "at " << in.tellg() << ": " << static_cast<char>(in.get()) << '\n';
    in.unget();
    std::cout << "again " << static_cast<char>(in.peek()) << '\n';
    char block[9] = {};
    in.seekg(-4, std::ios::end);
    in.read(block, 8);
    std::cout << "read " << in.gcount() << '\n';
}

int main()
{
    std::thread writer(write_lines);
    writer.join();
    read_lines();
    std::ofstream(NAME, std::ios::app) << "more\n";
    std::fstream both(NAME, std::ios::in | std::ios::out);
    std::string word;
    both.seekp(0, std::ios::end);
    both << "last\n";
    both.seekg(0);
    int words = 0;
    while (both >> word)
        words++;
    std::cout << words << " words, the last " << word << '\n';
    both.close();
    std::ifstream one(NAME), other(std::move(one));
    std::cout << "open " << one.is_open() << ' ' << other.is_open() << '\n';
    std::ifstream none("no-such-file.txt");
    std::cout << "missing " << none.is_open() << ' ' << !none << '\n';
    other.close();
    std::remove(NAME);
    return 0;
}
