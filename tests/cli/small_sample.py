# SPDX-License-Identifier: MIT
"""The small simulated sample that tests of inputs damage, and its alignments."""
import functools

from gannet_testing import new_folder, run, simulated

BGZF_END = bytes.fromhex('1f8b08040000000000ff0600424302001b0003000000000000000000')


def sample():
    return simulated(size_mb=0.1, coverage=12, seed=3)


@functools.cache
def alignments():
    """A sorted BAM of the sample with its index; read group `a` of sample S."""
    folder = new_folder()
    run('align', sample().reference, *sample().reads, '-o', folder / 's.bam', '-R', '@RG\\tID:a\\tSM:S', '-q')
    return folder / 's.bam'
