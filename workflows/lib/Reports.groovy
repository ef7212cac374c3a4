// SPDX-License-Identifier: MIT
// Provides the merging of the reports of `gannet align` and `gannet call` to what run.json of `gannet run` holds.

import groovy.json.JsonOutput
import groovy.json.JsonSlurper

class Reports {
    /** `execution` keeps of each task when and where it ran, and what it took. */
    static String merged(align, List calls, Map outputs) {
        def slurper = new JsonSlurper()
        def first = slurper.parseText(align.text)
        def others = calls.collect { slurper.parseText(it.text) }
        def report = first + [
            command: others ? [first.command, others[0].command].findAll { it }.join('; ').replaceAll(/ --regions-file \S+/, '') : first.command,
            parameters: first.parameters + (others ? others[0].parameters : [:]),
            counts: first.counts + (others.any { it.counts.call } ? [call: summed(others*.counts*.call)] : [:]),
            warnings: (first.warnings + others*.warnings.flatten()).unique(),
            outputs: outputs,
            execution: [align: taken(first), call: others.collect { taken(it) }]
        ]
        if (others && others[0].containsKey('scorer')) { report.scorer = others[0].scorer }
        JsonOutput.toJson(report)
    }

    private static Map taken(Map report) {
        report.execution?.subMap(['start', 'end', 'host', 'threads', 'memory_bytes', 'elapsed_s', 'cpu_s', 'peak_memory_bytes', 'spilled_bytes'])
    }

    /** Counts add up; the one ratio is made of its sums again. */
    private static Map summed(List<Map> parts) {
        def sum = parts[0].collectEntries { key, value ->
            [(key): value instanceof Map ? summed(parts*.get(key)) : key == 'ts_tv' ? null : parts*.get(key).sum()]
        }
        if (sum.containsKey('ts_tv')) { sum.ts_tv = ratio(sum.transitions, sum.transversions) }
        return sum
    }

    private static ratio(transitions, transversions) {
        transversions ? ((transitions / transversions) as double).round(3) : null
    }
}
