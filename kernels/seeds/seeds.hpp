// SPDX-License-Identifier: MIT
// Provides the contract of seeding, the first step of the op find_candidates: from packed reads to their hits
// in a seed index, and what is known of the places that were left out.
//
// Seeds. Of a read, the closed syncmers (Edgar 2021, doi:10.7717/peerj.10805) without ambiguous bases, by
// ascending position: k-mers one of whose first and last s-mer has the smallest value of all its k - s + 1.
// An s-mer's number has 2 bits a base, the first base lowest; its value is that of the smaller of its number
// and that of its reverse complement, x:  x += 0x7f4a7c15; x ^= x >> 15; x *= 0x2c1b3c6d; x ^= x >> 12  in 32
// bits. A k-mer's hash has 2k bits, is made of the smaller of its number and that of its reverse complement,
// x:  x += 0x9e3779b97f4a7c15; x *= 0xbf58476d1ce4e5b9; x ^= x >> k; x *= 0x94d049bb133111eb; x ^= x >> k
// modulo 2^2k; the seed is `reverse` where the reverse complement is smaller. Reads shorter than k or longer
// than k_seeds_max_read have no seeds.
//
// Which entries are used. "Disjoint" seeds of a kind are counted from the left: the next one counts that
// begins at or behind the end of the last one that counted. A seed is long where its bucket is, which has
// more than k_short_bucket entries, of whatever k-mers; it is unique where it is not long and has one entry,
// which is not on an ALT contig. The disjoint ones of all seeds come first. If at least k_enough_unique of
// them are unique, the hits of all unique ones are on one strand and at most k_same_place_bp from the
// diagonal of the leftmost one, and at most k_open_end_bp bases are in front of the leftmost and behind the
// rightmost one, then the read is settled: all other seeds are left out, and of these those that are long or
// have more than k_hits_beside_unique entries. If not, then of the seeds that are not long, with all their
// entries, U disjoint ones are unique, and C disjoint ones have an entry that is not on an ALT contig.
//   U >= k_enough_unique    long seeds, and those with more than k_hits_beside_unique entries, are left out
//   else C >= k_enough_complete, or C >= k_enough_beside_mate and the read has a mate that is settled
//                           long seeds are left out
//   else                    all entries are used, but seeds with more than k_plain_hits entries are narrowed
// A seed that is left out has no entries.
//
// Narrowing. The context of a seed is the read's bases behind the k-mer in its canonical direction, up to the
// read's end and to k_context_bases; that of an entry is the reference's, in which a block of 32 bases
// (counted from the k-mer) that is not wholly within the genome, or that ends within its last 32 bases, reads
// as A, as does every ambiguous base in the direction of the forward strand. Entries of a k-mer are in the
// order of their contexts; the seed's own has its place before the first entry that is not smaller. From this
// place on entries are kept: next is the nearer one of the two sides that shares more bases, from the k-mer
// on, with the seed's context, of equals the one behind; up to k_narrowed_hits. Where fewer than half of
// these are not on ALT contigs, the seed is widened: the same up to k_narrowed_beside_alternates entries, of
// which those that are not on ALT contigs are used beside the kept ones. What was left out last shares L
// bases at most, of the two next to those kept (in the end). Seeds that are not `reverse` are narrowed from
// left to right. A seed that ends at or before the end of what the one narrowed last matched (its k-mer, and
// the most bases that an entry shares with its context) is left out; those that were widened do not count
// here. Seeds that are `reverse` are narrowed from right to left, likewise.
//
// Results. hits: of each seed, by position, its entries in the order of the index, as hit_key(); behind all
// of these, of each widened seed, the entries beside the kept ones. A hit is on strand 1 where exactly one of
// seed and entry is reverse. complete_seeds: disjoint seeds of which nothing was left out, also if they have
// no entries. narrowed: whether entries of a seed that was not left out were, or a long seed was in a read
// that is not settled, with U < k_enough_unique and C < k_enough_complete. parts: only of reads that are
// narrowed or have more than k_max_diagonals hits; of each seed with entries the k-mer, and where some of its
// entries were left out also L + 1 bases behind it in its canonical direction; none of a seed where that
// would pass its context.
//
// Determinism class: exact-int; equal bytes on every backend (seeds_backends.hpp), whatever the order or the
// split of the reads. Qualities are not read.
#pragma once

#include "kernels/genome/genome_view.hpp"
#include "kernels/reads/read_batch_view.hpp"
#include "kernels/seeds/seed_hits.hpp"
#include "kernels/seeds/seed_index_view.hpp"

#include <cstddef>
#include <cstdint>

namespace gannet::kernels {

inline constexpr uint32_t k_seeds_max_read = 4096;

/// K-mers with more entries than the first number are narrowed by the bases that follow them, to at most the
/// second. Heuristic: docs/alignment.md has the cost of larger ones.
inline constexpr size_t k_plain_hits = 16;
static_assert(k_plain_hits >= k_short_bucket, "what is narrowed is in a long bucket");
inline constexpr size_t k_narrowed_hits = 8;

/// Where copies on ALT contigs leave too few entries on the primary assembly, narrowing goes on to so many.
/// Heuristic: more than the 100 or so alleles that hs38DH has of one HLA gene.
inline constexpr size_t k_narrowed_beside_alternates = 128;

/// Where so many disjoint seeds are unique, seeds with more entries than the second number are left out.
/// Heuristic.
inline constexpr uint32_t k_enough_unique = 3;
inline constexpr size_t k_hits_beside_unique = 4;
/// Where the unique ones of a read's disjoint seeds agree up to so many bases, and leave no more than the
/// second number at either end of the read, no other seeds are looked up. Heuristic: two pieces of a read
/// that are from different places should have a unique seed each, or be looked for with all seeds.
inline constexpr int64_t k_same_place_bp = 100;
inline constexpr uint32_t k_open_end_bp = 50;
/// Where so many disjoint seeds have all their entries used, no seed is narrowed. Heuristic.
inline constexpr uint32_t k_enough_complete = 4;
/// The same where the mate is settled: the read is then searched for beside it, and what was left out could
/// only be chosen as an unpaired template. Heuristic: with none at all, copies beside the right one are
/// chosen.
inline constexpr uint32_t k_enough_beside_mate = 2;

/// Entries left out of a seed: none; or all of a seed that was left out; else the most bases behind the k-mer
/// that one of them shares with the read.
inline constexpr int32_t k_none_left_out = -1;
inline constexpr int32_t k_all_left_out = INT32_MAX;

}  // namespace gannet::kernels
