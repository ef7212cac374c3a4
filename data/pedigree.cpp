// SPDX-License-Identifier: MIT
// Provides reading of pedigrees.
#include "data/pedigree.hpp"

#include "data/error.hpp"
#include "data/line_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

namespace gannet::data {
namespace {

std::vector<std::string> columns_of(std::string_view line) {
    std::vector<std::string> columns;
    for (size_t at = line.find_first_not_of(" \t\r"); at < line.size();
         at = line.find_first_not_of(" \t\r", at)) {
        const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
        columns.emplace_back(line.substr(at, end - at));
        at = end;
    }
    return columns;
}

std::string parent(const std::string& name) { return name == "0" ? "" : name; }

}  // namespace

std::vector<Person> load_pedigree(const std::string& path) {
    LineReader lines(std::make_unique<InputStream>(path));
    std::vector<Person> people;
    std::vector<uint64_t> line_of;
    std::map<std::string, size_t> by_name;
    for (std::string_view line; lines.read(line);) {
        const std::vector<std::string> columns = columns_of(line);
        if (columns.empty() || columns[0].starts_with('#')) continue;
        if (columns.size() < 6) {
            throw_malformed(path, lines.number(),
                            "has " + std::to_string(columns.size()) +
                                " columns: six are needed (family, name, father, mother, sex, phenotype)");
        }
        Person person{columns[0], columns[1], parent(columns[2]), parent(columns[3]), Sex::unknown};
        person.sex = columns[4] == "1" ? Sex::male : columns[4] == "2" ? Sex::female : Sex::unknown;
        if (person.name == person.father || person.name == person.mother)
            throw_malformed(path, lines.number(), person.name + " is a parent of themself");
        if (!person.father.empty() && person.father == person.mother)
            throw_malformed(path, lines.number(), person.father + " is father and mother of " + person.name);
        if (!by_name.emplace(person.name, people.size()).second)
            throw_malformed(path, lines.number(), person.name + " has a line already");
        people.push_back(person);
        line_of.push_back(lines.number());
    }
    for (size_t i = 0; i < people.size(); ++i) {
        const auto father = by_name.find(people[i].father);
        const auto mother = by_name.find(people[i].mother);
        if (father != by_name.end() && people[father->second].sex == Sex::female)
            throw_malformed(path, line_of[i],
                            "the father " + people[i].father + " is female in its own line");
        if (mother != by_name.end() && people[mother->second].sex == Sex::male)
            throw_malformed(path, line_of[i], "the mother " + people[i].mother + " is male in its own line");
    }
    return people;
}

}  // namespace gannet::data
