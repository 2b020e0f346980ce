#include <cassert>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Timesheet {
    std::string employee;
    std::vector<int> hours;
};

std::unique_ptr<Timesheet> fetch(const std::string& employee, int base) {
    auto sheet = std::make_unique<Timesheet>();
    sheet->employee = employee;
    sheet->hours = {base, base + 1, base + 2};
    return sheet;
}

int add_up(const Timesheet* sheet) {
    int total = 0;
    for (int hours : sheet->hours) {
        total += hours;
    }
    return total;
}

std::future<int> start_sum(const std::string& employee, int base) {
    std::unique_ptr<Timesheet> sheet = fetch(employee, base);
    return std::async(std::launch::async, add_up, sheet.get());
}

int main() {
    std::future<int> ida = start_sum("ida", 6);

    std::unique_ptr<Timesheet> jon_sheet = fetch("jon", 3);
    std::future<int> jon = std::async(std::launch::async, add_up, jon_sheet.get());

    int ida_hours = ida.get();
    int jon_hours = jon.get();

    const int all = ida_hours + jon_hours;
    assert(all == 33);
    assert(ida_hours == 21);
    assert(jon_hours == 12);
    assert(jon_sheet->employee == "jon");
    assert(jon_sheet->hours.size() == 3);
    return 0;
}
