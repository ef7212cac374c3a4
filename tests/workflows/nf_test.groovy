// SPDX-License-Identifier: MIT
// Runs nf-test's files of processes where there is no nf-test: what of its language the files of workflows/modules use. Each test is a
// workflow of its own under the real Nextflow, whose outputs the assertions see.
//
//   groovy nf_test.groovy NEXTFLOW WORKFLOWS WORK DATA FILE...

import groovy.json.JsonSlurper
import java.nio.file.Files
import java.nio.file.Path
import java.util.zip.GZIPInputStream

class Case {
    String name
    String options = ''
    Map params = [:]
    String mapping = ''
    Closure assertions

    void options(String text) { options = text }
    void when(Closure body) { call(body, this) }
    void params(Closure body) { call(body, params) }
    void process(Closure body) { mapping = call(body, this).toString() }
    void then(Closure body) { assertions = body }

    static call(Closure body, delegate) {
        body.delegate = delegate
        body.resolveStrategy = Closure.DELEGATE_FIRST
        body()
    }
}

class Suite {
    Path file
    String name, script, process
    List<Case> cases = []

    void name(String text) { name = text }
    void script(String text) { script = text }
    void process(String text) { process = text }
    void test(String title, Closure body) {
        def one = new Case(name: title)
        Case.call(body, one)
        cases << one
    }
}

/** What the assertions of a test see. */
class Result {
    Map process, params

    void assertAll(Closure... all) {
        def faults = all.collect { one ->
            one.delegate = this
            one.resolveStrategy = Closure.DELEGATE_FIRST
            try { one(); null } catch (Throwable fault) { fault.message ?: fault.toString() }
        }.findAll { it }
        if (faults) { throw new AssertionError(faults.join('\n')) }
    }
    Content path(name) { new Content(file: Path.of(name.toString())) }
    File file(name) { new File(name.toString()) }
}

class Content {
    Path file

    String getText() { file.text }
    byte[] getBytes() { file.bytes }
    List<String> readLines() { file.readLines() }
    Object getJson() { new JsonSlurper().parse(file.toFile()) }
    List<String> getLinesGzip() { file.withInputStream { new GZIPInputStream(it).readLines() } }
}

class Runner {
    String nextflow
    Path workflows, work
    String data

    /** The outcome of a case. */
    Result execute(Suite suite, Case one, int number) {
        def folder = Files.createDirectories(work.resolve("${suite.process}.${number}"))
        def seen = folder.resolve('out.json')
        folder.resolve('bin').toFile().exists() || Files.createSymbolicLink(folder.resolve('bin'), workflows.resolve('bin'))
        folder.resolve('mock.nf').text = """
import groovy.json.JsonOutput
include { ${suite.process} } from '${suite.file.parent.resolve(suite.script).normalize()}'

def plain(value) {
    value instanceof List ? value.collect { plain(it) } : value instanceof Map ? value.collectEntries { k, v -> [(k): plain(v)] } :
        value == null || value instanceof Number || value instanceof Boolean ? value : value.toString()
}

workflow {
    def input = []
    ${one.mapping}
    ${suite.process}(*input)
    def names = ${suite.process}.out.getNames()
    all = Channel.empty()
    names.each { name -> all = all.mix(${suite.process}.out."\${name}".map { [name, plain(it)] }) }
    all.toList().subscribe { rows ->
        def found = names.collectEntries { name -> [(name): rows.findAll { it[0] == name }.collect { it[1] }] }
        file('${seen}').text = JsonOutput.toJson(found)
    }
}
"""
        def given = [modules_testdata_base_path: data, outdir: folder.resolve('published').toString(), cpus: 1, memory: '1.GB'] + one.params
        folder.resolve('params.json').text = groovy.json.JsonOutput.toJson(given)
        def command = [nextflow, '-q', '-C', workflows.resolve('nextflow.config'), 'run', 'mock.nf', '-ansi-log', 'false', '-lib', workflows.resolve('lib'),
                       '-params-file', 'params.json', *one.options.tokenize()]*.toString()
        def log = folder.resolve('log.txt').toFile()
        def ended = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).redirectOutput(log).start().waitFor()
        def out = Files.exists(seen) ? new JsonSlurper().parse(seen.toFile()) : [:]
        new Result(params: given, process: [success: ended == 0 && !out.isEmpty(), exitStatus: ended, out: out, stdout: log.readLines()])
    }

    /** The faults of a file, and the number of its tests. */
    List run(Path file) {
        def suite = new Suite(file: file)
        def binding = new Binding(nextflow_process: { Closure body -> Case.call(body, suite) })
        new GroovyShell(binding).evaluate(file.toFile())
        def failed = 0
        suite.cases.eachWithIndex { one, number ->
            def result = execute(suite, one, number)
            try {
                Case.call(one.assertions, result)
                println "ok      ${suite.process}: ${one.name}"
            } catch (Throwable fault) {
                ++failed
                println "FAILED  ${suite.process}: ${one.name}\n${fault.message ?: fault}\n${result.process.stdout.join('\n')}"
            }
            System.out.flush()
        }
        [failed, suite.cases.size()]
    }
}

def runner = new Runner(nextflow: args[0], workflows: Path.of(args[1]).toAbsolutePath(), work: Path.of(args[2]).toAbsolutePath(), data: args[3])
def counts = args[4..-1].collect { runner.run(Path.of(it).toAbsolutePath()) }
println "${counts*.get(1).sum()} tests, ${counts*.get(0).sum()} failed"
System.exit(counts*.get(0).sum() ? 1 : 0)
