// Streams: formats of numbers, strings as streams, input.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

struct P {
    int x, y;
    friend std::ostream& operator<<(std::ostream& o, const P& p) {
        return o << '(' << p.x << ", " << p.y << ')';
    }
};

int main() {
    std::cout << 1 << ' ' << -5L << ' ' << 7u << ' ' << 123456789012345ULL << ' ' << true << ' ' << 'c' << ' '
        << 3.14159265 << ' ' << 1e100 << ' ' << 2.5f << ' ' << (short)-3 << '\n';
    std::cout << std::hex << 255 << ' ' << std::showbase << 255 << ' ' << std::uppercase << 48879
        << std::nouppercase << ' ' << std::oct << 8 << std::dec << std::noshowbase << ' ' << std::showpos << 5
        << std::noshowpos << '\n';
    std::cout << std::hex << -1 << ' ' << (short)-1 << ' ' << -1L << std::dec << '\n';
    std::cout << std::setw(8) << 42 << '|' << std::left << std::setw(8) << 42 << '|' << std::right
        << std::setfill('*') << std::setw(6) << -3 << '|' << std::internal << std::setw(6) << -3
        << std::setfill(' ') << std::right << '\n';
    std::cout << std::fixed << std::setprecision(2) << 3.14159 << ' ' << std::scientific << 31415.9 << ' '
        << std::defaultfloat << std::setprecision(8) << 3.14159265358 << ' ' << 100000000.0 << ' ' << 0.1 + 0.2
        << '\n';
    std::cout << std::boolalpha << true << false << std::setw(7) << true << std::noboolalpha << ' '
        << std::string("str") << std::setw(6) << "ab" << std::setw(5) << 'x' << std::endl;
    std::cout << std::setw(10) << std::left << P{1, 2} << '|' << std::right << (void*)nullptr << '\n';
    std::ostringstream os;
    os << "n=" << 5 << std::setw(4) << 1.25 << std::flush;
    std::cout << os.str() << os.str().size() << '\n';
    os.str("");
    os << "again";
    std::cout << os.str() << '\n';
    std::istringstream is("12 -7 3.5 word 0x1f\nline two\nlast");
    int a, b;
    double d;
    std::string w, x, l;
    is >> a >> b >> d >> w >> x;
    std::cout << a << b << d << w << x << '\n';
    std::getline(is, l);
    std::cout << '[' << l << "]\n";
    while (std::getline(is, l)) std::cout << '[' << l << "]\n";
    std::cout << is.eof() << is.fail() << '\n';
    std::istringstream bad("abc");
    int n = 9;
    bad >> n;
    std::cout << n << bad.fail() << '\n';
    bad.clear();
    std::string r;
    bad >> r;
    std::cout << r << '\n';
    std::stringstream ss;
    for (int i = 0; i < 5; i++) ss << i * i << ',';
    std::string part;
    while (std::getline(ss, part, ',')) std::cout << part << ';';
    std::cout << '\n';
    std::cout.write("raw\n", 4).put('p').put('\n');
    std::cerr << "error text " << 5 << std::endl;
    std::clog << "log\n";
    std::cout << std::quoted("a\"b") << '\n' << std::flush;
    std::cout << (unsigned char)'u' << (signed char)'s' << L'x' << ' ' << (const char*)"cs" << '\n';
    int i1;
    std::string s1;
    std::cin >> i1 >> s1;
    std::cout << "in " << i1 << s1 << std::cin.good() << '\n';
    std::cout << 1.0L << ' ' << 12345678.9 << ' ' << 1e-5 << ' ' << 100.0 << '\n';
    std::cout << std::hexfloat << 1.5 << std::defaultfloat << ' ' << std::showpoint << 2.0 << std::noshowpoint
        << '\n';
}
