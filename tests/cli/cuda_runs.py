# SPDX-License-Identifier: MIT
"""Complete runs on the CUDA runtime of the tests (tests/unit/kernels/cuda)."""
import json
import re

import gannet_testing
from gannet_testing import bam_records, vcf_body


class CudaRunCase(gannet_testing.Case):
    def gannet_run(self, *options, batch_bases=20000, timeout=500):
        """Records and VCF body, `execution` of run.json, and the runtime's counts: enqueued, refused, overruns, blocks left."""
        sample = gannet_testing.simulated(0.08, 15, 11)
        folder = self.folder()
        done = gannet_testing.run('run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--batch-bases', batch_bases,
                                  '--batch-records', 500, *options, timeout=timeout)
        seen = re.search(r'fake CUDA runtime: (\d+) enqueued, (\d+) refused, (\d+) overruns, (\d+) blocks left', done.stderr)
        self.assertTrue(seen, done.stderr)
        report = json.loads((folder / 'S.run.json').read_text())['execution']
        return (bam_records(folder / 'S.bam'), vcf_body(folder / 'S.vcf.gz')), report, [int(number) for number in seen.groups()]
