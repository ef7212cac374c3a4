// SPDX-License-Identifier: MIT
// Fuzzes the reading of VCF against a small reference.
#include "data/error.hpp"
#include "data/fasta/reader.hpp"
#include "data/vcf/reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/data/compress.hpp"

namespace gannet::fuzz {

std::vector<std::string> seeds() {
    const std::string vcf =
        "##fileformat=VCFv4.2\n##contig=<ID=c>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n"
        "##INFO=<ID=END,Number=1,Type=Integer,Description=\"\">\n#"
        "CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
        "c\t1\t.\tA\tG,<DEL>\t9.5\tPASS\tEND=5\tGT\t0/1\t1|2\nc\t7\t.\tGTA\tG\t.\t.\t.\tGT\t1\t./"
        ".\nc\t9\t.\tA\tA[c:5[,*\t3\tq\t.\tGT\t.\t0/0\n";
    return {vcf, tests::gzip(vcf), tests::bgzf(vcf, 100)};
}

}  // namespace gannet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace gannet;
    static const auto reference = data::fasta::load(fuzz::MemoryFile(">c\nACGTACGTACGTNNRN\n").path());
    const fuzz::MemoryFile file(bytes, size);
    try {
        data::vcf::Reader reader(file.path(), *reference);
        data::vcf::Site site;
        while (reader.read(site)) {
            for (const int allele : site.genotype) {
                if (allele >= static_cast<int>(site.alleles.size())) std::abort();
            }
        }
    } catch (const data::Error&) {
    }
    return 0;
}
