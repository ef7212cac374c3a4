// SPDX-License-Identifier: MIT
// Provides the options of gannet that several steps have in common.

class Options {
    /** --lane R1,R2,RG for each lane; `reads` are the files of all lanes, in order. */
    static String lanes(Map meta, reads) {
        def files = [reads].flatten()
        def at = 0
        meta.lanes.collect { count, group ->
            def own = files[at..<(at + count)]
            at += count
            "--lane '${own[0]},${count > 1 ? own[1] : ''},${group}'".replaceAll(/,+'$/, "'")
        }.join(' ')
    }

    /** --sex or --ploidy: a ploidy that is given holds for all samples. */
    static String ploidy(Map meta, Map params, file) {
        if (file) { return "--ploidy ${file}" }
        if (params.ploidy) { return "--ploidy ${params.ploidy}" }
        meta.sex ? "--sex ${meta.sex}" : ''
    }

    /** The folder of a sample that outlives its task, so that the next attempt continues from it; null without --checkpoint. */
    static String kept(Map meta, Map params) {
        params.checkpoint ? "'${new File(params.checkpoint.toString()).absolutePath}/${meta.id}'" : null
    }

    /** Removes that folder. A killed attempt with other outputs leaves their locks, and what else is there fails no finished task. */
    static String leave(String kept) { "rm -f ${kept}/.*.lock && { rmdir ${kept} || true; }" }

    /** --devices, for the steps that may have a GPU. */
    static String devices(Map params) { params.devices != null ? "--devices ${params.devices}" : '' }

    /**
     * Threads and memory of the task; a tenth is left for what the system counts beside the program. Checkpoints lie among the temporary
     * files: with `kept` these are there, not in the node's --tmp, where no other node would find them.
     */
    static String resources(task, Map params, String kept = null) {
        def memory = task.memory ? "--memory ${(task.memory.toMega() * 9).intdiv(10)}M" : ''
        "-t ${task.cpus} ${memory} ${params.tmp && !kept ? "--tmp ${params.tmp}" : ''}".trim()
    }
}
