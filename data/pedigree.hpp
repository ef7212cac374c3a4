// SPDX-License-Identifier: MIT
// Provides reading of pedigrees in the six columns of PLINK's .fam and .ped files.
#pragma once

#include <string>
#include <vector>

namespace gannet::data {

enum class Sex { unknown, male, female };

/// Names of parents that are not known (0 in the file) are empty.
struct Person {
    std::string family;
    std::string name;
    std::string father;
    std::string mother;
    Sex sex = Sex::unknown;
};

/// The persons in the order of the file: family, name, father, mother, sex (1 male, 2 female, else unknown)
/// and phenotype, which is not used, separated by tabs or spaces; further columns, empty lines and lines that
/// begin with # are passed over. Throws Error(malformed_input) naming file and line: fewer than six columns,
/// a name that occurs twice, a person who is a parent of themself, a father who is female or a mother who is
/// male.
std::vector<Person> load_pedigree(const std::string& path);

}  // namespace gannet::data
