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
#include <utility>

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

/// PLINK's and GATK's words for an unknown one are as good as 0.
bool is_sex(const std::string& text) {
    return text == "1" || text == "2" || text == "0" || text == "-9" || text == "." || text == "other" ||
           text == "unknown";
}

/// Nobody is their own ancestor. `by_name`: index of each person.
void check_ancestors(const std::vector<Person>& people, const std::map<std::string, size_t>& by_name,
                     const std::string& path, const std::vector<uint64_t>& line_of) {
    enum class State { unseen, below, done };  // below: the walk came through it
    std::vector<State> states(people.size(), State::unseen);
    for (size_t begin = 0; begin < people.size(); ++begin) {
        std::vector<std::pair<size_t, int>> walk = {
            {begin, 0}};  // a person, and how many parents were visited
        if (states[begin] != State::unseen) continue;
        states[begin] = State::below;
        while (!walk.empty()) {
            const size_t person = walk.back().first;
            const int parent = walk.back().second++;
            if (parent == 2) {
                states[person] = State::done;
                walk.pop_back();
                continue;
            }
            const auto found = by_name.find(parent == 0 ? people[person].father : people[person].mother);
            if (found == by_name.end() || states[found->second] == State::done) continue;
            if (states[found->second] == State::below)
                throw_malformed(path, line_of[person], people[person].name + " is an ancestor of themself");
            states[found->second] = State::below;
            walk.emplace_back(found->second, 0);
        }
    }
}

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
        if (!is_sex(columns[4]))
            throw_malformed(path, lines.number(),
                            "its sex '" + columns[4] + "' is none of 1 (male), 2 (female) and 0 (unknown)");
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
    check_ancestors(people, by_name, path, line_of);
    return people;
}

}  // namespace gannet::data
