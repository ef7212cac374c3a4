// SPDX-License-Identifier: MIT
// Provides the program's entry.
int main() { return 2; }
