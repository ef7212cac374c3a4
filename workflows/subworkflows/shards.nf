// SPDX-License-Identifier: MIT
// What is common to everything that is divided into shards of the reference.

// [meta, files...] of each sample, or cohort, with the files of its shards in the order of the shards, once all are there.
def in_order(parts, counted) {
    parts
        .combine(counted)
        .map { row -> [groupKey(row[0], row[-1] as int), *row[1..-2]] }
        .groupTuple()
        .map { row ->
            def order = (0..<row[1].size()).toList().sort { row[1][it].tokenize('-')[0] as int }
            [row[0].getGroupTarget(), *row[2..-1].collect { files -> order.collect { files[it] } }]
        }
}
