// SPDX-License-Identifier: MIT
// Provides the checks of the parameters and of the sheet of samples against their JSON schemas: every finding is one line.

import groovy.json.JsonSlurper
import java.nio.file.Path

class Checks {
    /** The entries of a schema of parameters, by group: [title: [name: entry]]. */
    static Map groups(Path schema) {
        new JsonSlurper().parse(schema).'$defs'.values().collectEntries { [(it.title): it.properties] }
    }

    /** What is wrong with the parameters that were given; empty where nothing is. */
    static List<String> parameters(Map params, Path schema) {
        def known = groups(schema).values().inject([:]) { all, group -> all + group }
        // Nextflow adds a spelling in camel case for a name with a dash.
        def given = params.findAll { name, value -> !(name.contains('-') == false && params.keySet().any { it.contains('-') && camel(it) == name }) }
        given.collect { name, value ->
            if (!known.containsKey(name)) { return "there is no parameter --${name}" + suggestion(name, known.keySet()) }
            value == null ? null : fault_of(value, known[name])?.with { "--${name} ${value}: ${it}".toString() }
        }.findAll { it }
    }

    private static String camel(String name) { name.replaceAll(/-(.)/) { it[1].toUpperCase() } }

    /** Why a value does not fit its entry; null where it does. */
    private static String fault_of(value, Map entry) {
        def types = [entry.type].flatten()
        def fits = types.any { type ->
            type == 'string' ? value instanceof CharSequence || value instanceof Number :
            type == 'boolean' ? value instanceof Boolean :
            type == 'integer' ? value instanceof Integer || value instanceof Long : value instanceof Number
        }
        if (!fits) { return "is not ${types.collect { it == 'integer' ? 'a whole number' : it == 'boolean' ? 'true or false' : it == 'number' ? 'a number' : 'a text' }.join(' or ')}" }
        if (entry.enum && !(value in entry.enum)) { return entry.errorMessage ?: "is not ${either(entry.enum)}" }
        if (entry.pattern && !(value.toString() ==~ entry.pattern)) { return entry.errorMessage ?: "does not fit ${entry.pattern}" }
        if (entry.minimum != null && value < entry.minimum) { return "is less than ${entry.minimum}" }
        if (entry.exclusiveMinimum != null && value <= entry.exclusiveMinimum) { return "is not more than ${entry.exclusiveMinimum}" }
        return null
    }

    private static String either(List words) { words.size() < 2 ? words.join('') : words[0..-2].join(', ') + ' or ' + words[-1] }

    private static String suggestion(String name, Collection<String> words) {
        def near = words.min { distance(name, it) }
        near && distance(name, near) <= Math.max(1, name.size().intdiv(3)) ? "; did you mean ${near.startsWith('-') ? '' : '--'}${near}?" : ''
    }

    private static int distance(String a, String b) {
        def row = (0..b.size()).toList()
        a.eachWithIndex { x, i ->
            def next = [i + 1]
            b.eachWithIndex { y, j -> next << [row[j] + (x == y ? 0 : 1), row[j + 1] + 1, next[j] + 1].min() }
            row = next
        }
        row[-1]
    }

    /**
     * The samples of a sheet in its order, [[id:, sex:, lanes: [[files: [path], read_group:]]]], and what is wrong with it.
     * `step`: mapping, or variant_calling, where a row is a sample and holds sorted alignments and their index. `exists` says of a
     * path whether there is such a file.
     */
    static Map sheet(Path sheet, Path schema, String step, Closure resolve, Closure exists) {
        def faults = []
        def items = new JsonSlurper().parse(schema).items
        def rows = rows_of(sheet, items, faults)
        if (faults) { return [samples: [], faults: faults.collect { "${sheet}: ${it}".toString() }] }
        def samples = [:]
        def seen = [:]
        rows.each { row ->
            def found = faults_of_row(row, items, resolve, exists, seen) + (step == 'mapping' ? faults_of_reads(row) : faults_of_alignments(row, samples))
            if (found) { faults.addAll(found.collect { "line ${row.line}: ${it}" }) } else { add_lane(row, samples, resolve, faults) }
        }
        if (!rows) { faults << 'holds no samples' }
        return [samples: samples.values().toList(), faults: faults.collect { "${sheet}: ${it}".toString() }]
    }

    /** Rows with the number of their line; fields may be quoted. */
    private static List rows_of(Path sheet, Map items, List faults) {
        def separator = sheet.name.endsWith('.tsv') ? '\t' : ','
        def columns = null
        def rows = []
        sheet.readLines('UTF-8').eachWithIndex { text, i ->
            def line = i == 0 ? text.replaceFirst('\uFEFF', '') : text
            if (!line.trim()) { return }
            def fields = split(line, separator)
            if (columns == null) {
                columns = fields
                check_columns(columns, items, faults)
                return
            }
            if (fields.size() != columns.size()) {
                faults << "line ${i + 1}: has ${fields.size()} fields, but the header has ${columns.size()}"
            } else {
                rows << [line: i + 1, fields: [columns, fields].transpose().collectEntries { it }]
            }
        }
        return rows
    }

    private static List<String> split(String line, String separator) {
        def fields = []
        def field = new StringBuilder()
        def quoted = false
        line.each { letter ->
            if (letter == '"') { quoted = !quoted } else if (letter == separator && !quoted) { fields << field.toString().trim(); field.length = 0 } else { field << letter }
        }
        fields << field.toString().trim()
    }

    private static void check_columns(List<String> columns, Map items, List faults) {
        columns.countBy { it }.findAll { name, count -> count > 1 }.each { name, count -> faults << "the column '${name}' is there ${count == 2 ? 'twice' : count + ' times'}" }
        columns.toUnique().findAll { !items.properties.containsKey(it) }.each {
            faults << "there is no column '${it}'" + suggestion(it, items.properties.keySet()).replace('--', '') +
                " (columns: ${items.properties.keySet().join(', ')})"
        }
        items.required.findAll { !(it in columns) }.each { faults << "the column '${it}' is missing" }
        if (!columns.any { it in ['fastq_1', 'bam', 'cram'] }) { faults << "one of the columns 'fastq_1', 'bam' and 'cram' is needed" }
    }

    private static List<String> faults_of_row(Map row, Map items, Closure resolve, Closure exists, Map seen) {
        def given = row.fields.findAll { name, value -> value }
        def faults = items.required.findAll { !given[it] }.collect { "${it} is empty" }
        given.each { name, value ->
            def fault = fault_of(value, items.properties[name])
            if (fault) { faults << "${name} '${value}' ${fault}"; return }
            if (items.properties[name].format != 'file-path') { return }
            if (!exists(value)) { faults << "${name}: there is no file ${resolve(value)}"; return }
            def path = resolve(value)
            // A link to the file of another row is that file.
            def before = seen.putIfAbsent((path.toUri().scheme == 'file' ? path.toRealPath() : path).toString(), row.line)
            if (before != null) { faults << "${name}: ${value} is in line ${before} too" }
        }
        return faults
    }

    private static List<String> faults_of_reads(Map row) {
        def given = row.fields
        def faults = []
        def reads = ['fastq_1', 'bam', 'cram'].findAll { given[it] }
        ['bai', 'crai'].findAll { given[it] }.each { faults << "has ${it}, as sorted alignments have: give --step variant_calling" }
        if (reads.size() != 1) { faults << (reads ? "has ${reads.join(' and ')}: give the reads in one way" : 'has no reads: fastq_1, bam and cram are empty') }
        if (given.fastq_2 && !given.fastq_1) { faults << 'has fastq_2 without fastq_1' }
        return faults
    }

    private static List<String> faults_of_alignments(Map row, Map samples) {
        def given = row.fields
        def faults = ['fastq_1', 'fastq_2'].findAll { given[it] }.collect { "has ${it}, which --step variant_calling does not use".toString() }
        def files = [bam: 'bai', cram: 'crai'].findAll { alignments, index -> given[alignments] }
        if (files.size() != 1) { faults << (files ? 'has bam and cram: give one of them' : 'has no alignments: bam and cram are empty') }
        files.findAll { alignments, index -> !given[index] }.each { alignments, index -> faults << "has ${alignments} without its index, ${index}".toString() }
        if (samples.containsKey(given.sample)) { faults << "sample ${given.sample} has a line already: merge its alignments".toString() }
        return faults
    }

    private static void add_lane(Map row, Map samples, Closure resolve, List faults) {
        def given = row.fields
        def sex = [XX: 'female', XY: 'male', female: 'female', male: 'male'][given.sex]
        def sample = samples.computeIfAbsent(given.sample) { [id: it, patient: given.patient, sex: sex, lanes: [], lines: [:]] }
        if (sample.sex != sex) { faults << "line ${row.line}: sample ${sample.id} has another sex in an earlier line" }
        if (sample.patient != given.patient) { faults << "line ${row.line}: sample ${sample.id} is of another patient in an earlier line" }
        def group = given.read_group ?: (given.lane ? "${sample.id}.${given.lane}".toString() : '')
        if (given.lane && !given.read_group) {
            def before = sample.lines.putIfAbsent(given.lane, row.line)
            if (before != null) { faults << "line ${row.line}: lane ${given.lane} of sample ${sample.id} is in line ${before} too: name the flow cell in it, or give read_group" }
        }
        if (given.fastq_1) {
            def first = sample.first_reads
            if (!first) { sample.first_reads = row } else if (!first.fields.fastq_2 != !given.fastq_2) {
                faults << "line ${row.line}: sample ${sample.id} has ${given.fastq_2 ? 'fastq_2 here, but not' : 'no fastq_2 here, but'} in line ${first.line}: give both files of each lane"
            }
        }
        def files = ['fastq_1', 'fastq_2', 'bam', 'bai', 'cram', 'crai'].collect { given[it] }.findAll { it }.collect { resolve(it) }
        sample.lanes << [files: files, read_group: group]
    }
}
