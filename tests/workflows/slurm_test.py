#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs workflows/main.nf with -profile slurm on a real Slurm: munged, slurmctld and the slurmd of two nodes, all on this machine and of
this test alone.

Shows: a scattered run, whose node is drained while it runs and which is killed and resumed, gives the files of a local run, byte for
byte; jobs that Slurm kills for their memory or their time are tried again with more, one of a node that goes down elsewhere; no task asks
for more than --max_cpus and --max_memory.
Usage: slurm_test.py --gannet GANNET [PART...]. Exits 77 (skipped, with the reason) without Slurm (apt-get install slurm-wlm munge),
Java or Nextflow; GANNET_REQUIRE_TOOLS=1 makes the first, GANNET_REQUIRE_NEXTFLOW=1 the others a failure.
"""
import argparse
import getpass
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from workflow_testing import SAMPLES, Workflow, body, command_of, expect, need_nextflow, nextflow, tasks, tool, write_sheet

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
os.environ["PATH"] += ":/usr/sbin:/sbin"

CONFIGURATION = """ClusterName=gannet
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=7200
KillWait=5
EnforcePartLimits=ALL
ReturnToService=2
GresTypes=gpu
NodeName=n1 Gres=gpu:1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=4 RealMemory=60000
NodeName=n2 Gres=gpu:1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=4 RealMemory=60000
PartitionName=main Nodes=n1,n2 Default=YES LLN=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Two nodes, n1 and n2, of four processors each, as far as Slurm knows."""

    def __init__(self, folder):
        self.folder, self.running = folder, []
        for name in ("state", "spool.n1", "spool.n2"):
            (folder / name).mkdir(parents=True)
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o400)
        (folder / "slurm.conf").write_text(CONFIGURATION.format(folder=folder, host=socket.gethostname().split(".")[0], user=getpass.getuser(), ports=free_ports(3)))
        (folder / "gres.conf").write_text("NodeName=n1,n2 Name=gpu File=/dev/null\n")
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def __enter__(self):
        try:
            self.start("munged", "-F", "--force", *(f"--{what}={self.folder}/munge.{end}" for what, end in (
                ("key-file", "key"), ("socket", "socket"), ("log-file", "log"), ("pid-file", "pid"), ("seed-file", "seed"))))
            self.wait("munge's socket", lambda: (self.folder / "munge.socket").exists())
            self.start("slurmctld", "-D", "-c")
            for node in ("n1", "n2"):
                self.start("slurmd", "-D", "-N", node)
            self.wait("two idle nodes", lambda: self.states() == {"n1": "idle", "n2": "idle"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.running[1:]:
            subprocess.run(["scancel", "--user", getpass.getuser()], stderr=subprocess.DEVNULL)
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, program, *words):
        with open(self.folder / f"{program}{words[-1] if program == 'slurmd' else ''}.out", "wb") as out:
            self.running.append(subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT))

    def wait(self, what, condition, seconds=120):
        deadline = time.time() + seconds
        while not condition():
            if time.time() > deadline or any(process.poll() is not None for process in self.running):
                logs = "".join(f"--- {path.name}\n{path.read_text()[-1500:]}" for path in sorted(self.folder.glob("*.log")))
                sys.exit(f"FAILED  no {what} after {seconds} s\n{logs}")
            time.sleep(0.2)

    def states(self):
        done = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %t"], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return dict(line.split() for line in done.stdout.splitlines())

    def update(self, node, state):
        tool("scontrol", "update", f"nodename={node}", f"state={state}", "reason=test")

    def resume(self, node):
        """A node that was down may be back before one asks for it."""
        def is_back():
            subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"], stderr=subprocess.DEVNULL)
            return self.states()[node] in ("idle", "mix", "alloc")
        self.wait(f"service of {node}", is_back)

    def jobs(self):
        """What Slurm remembers of each job, in the order of their numbers."""
        text = tool("scontrol", "-o", "show", "job").decode()
        jobs = [dict(re.findall(r"(\w+)=(\S*)", line)) for line in text.splitlines() if line.startswith("JobId=")]
        return sorted(jobs, key=lambda job: int(job["JobId"]))


class Test(Workflow):
    def __init__(self, gannet, folder, cluster):
        super().__init__(gannet, folder)
        self.cluster, self.started = cluster, []
        # A job's files are on this machine: nothing is late. Without an exit status Nextflow waits for minutes by default.
        self.config = folder / "test.config"
        self.config.write_text("executor { exitReadTimeout = '5 sec'; queueStatInterval = '1 sec'; pollInterval = '500 ms' }\n")

    def slurm(self):
        return ["-profile", "slurm", "-c", self.config]

    def start(self, *options):
        with open(self.folder / "nextflow.out", "wb") as out:
            process = subprocess.Popen(command_of(*options), cwd=self.folder, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        self.started.append(process)
        return process

    def kill(self):
        """Ends what is still running of the workflows that were started."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def until(self, process, name, condition, seconds=300):
        """Waits for finished tasks of a run, which must still go on then."""
        deadline = time.time() + seconds
        while time.time() < deadline and process.poll() is None:
            path = self.folder / name
            if path.exists() and path.stat().st_size and condition([row for row in tasks(self.folder, name) if row["status"] == "COMPLETED"]):
                break
            time.sleep(0.1)
        expect(process.poll() is None, "the run goes on")

    # --- The parts ------------------------------------------------------------------------------------------------------------

    def scattered(self):
        """A node is drained, then the workflow killed, and resumed."""
        options = [*self.options(), "--cpus", "2", "--memory", "2.GB", "--accelerators", "1", "--mode", "stages", "--shards", "6", "--cohort", "pair", "--joint_shard_mb", "0.1"]
        nextflow(self.folder, *options, "--outdir", "local")
        options += ["--outdir", "slurm", *self.slurm()]
        process = self.start(*options, "-log", "killed.log")
        self.until(process, "killed.log", lambda rows: sum("GANNET_ALIGN" in row["name"] for row in rows) == len(SAMPLES))
        self.cluster.wait("job on n1", lambda: any(job["NodeList"] == "n1" and job["JobState"] == "RUNNING" for job in self.cluster.jobs()))
        self.cluster.update("n1", "drain")
        known = {job["JobId"] for job in self.cluster.jobs() if job["JobState"] != "PENDING"}
        self.until(process, "killed.log", lambda rows: sum("GANNET_CALL" in row["name"] for row in rows) >= 5)
        self.kill()
        left = subprocess.run(["squeue", "-h"], text=True, stdout=subprocess.PIPE).stdout.split("\n")
        done = nextflow(self.folder, *options, "-resume", "-log", "resumed.log", check=False)
        lost = [(row["name"], row["exit"], row["hash"]) for row in tasks(self.folder, "resumed.log") if row["status"] not in ("COMPLETED", "CACHED")]
        errors = "".join(path.read_text()[-400:] for _, _, name in lost for path in (self.folder / "work").glob(f"{name}*/.command.log"))
        expect(done.returncode == 0, f"-resume ends well {lost or ''}{errors}")
        jobs = self.cluster.jobs()
        nodes = [{job["NodeList"] for job in jobs if (job["JobId"] in known) == before} for before in (True, False)]
        expect(nodes[0] == {"n1", "n2"}, "before the draining, jobs run on both nodes")
        expect(nodes[1] == {"n2"}, f"after it, {len(jobs) - len(known)} jobs on the other one")
        expect(all(job["JobState"] == "COMPLETED" for job in jobs if job["JobId"] in known), "the jobs of the drained node were completed")
        gpus = [("GANNET_ALIGN" in job["JobName"], job.get("TresPerNode", "").endswith("gpu:1")) for job in jobs]
        expect(gpus.count((True, True)) == 2 and all(aligns == asks for aligns, asks in gpus), "--accelerators: aligning asked for a GPU, and nothing else did")
        rows = tasks(self.folder, "resumed.log")
        cached, run = ([row["name"] for row in rows if row["status"] == status] for status in ("CACHED", "COMPLETED"))
        expect(len(cached) >= 7 and sum("GANNET_ALIGN" in name for name in cached) == 2, f"-resume kept {len(cached)} finished tasks ({len(left) - 1} jobs were in the queue)")
        expect(0 < len(run) and not any("GANNET_ALIGN" in name for name in run) and len(run) + len(cached) == len(rows), f"it ran the {len(run)} others")
        self.same_files("local", "slurm")
        self.cluster.resume("n1")

    def same_files(self, local, slurm):
        expect(self.files(local) == self.files(slurm), f"the same {len(self.files(local))} files as of the local run")
        # When and where it ran is in the reports only, and in what MULTIQC writes.
        others = [name for name in self.files(local) if not name.endswith(("run.json", "report.html")) and not name.startswith("multiqc/")]
        differing = [name for name in others if (self.folder / local / name).read_bytes() != (self.folder / slurm / name).read_bytes()]
        expect(not differing, f"{len(others)} of them, byte for byte" + "".join(f" {name}" for name in differing))

    def hungry_gannet(self):
        """gannet, whose first attempt needs more memory than it asked for, never ends, or waits for its node to go down."""
        script = self.folder / "hungry_gannet"
        script.write_text(f"""#!/bin/bash
[ "$1" = --version ] && exec {self.gannet} "$@"
sample=$(echo "$*" | sed 's/.*--sample \\([^ ]*\\).*/\\1/')
echo $SLURM_JOB_ID >> {self.folder}/attempts.$sample
attempt=$(wc -l < {self.folder}/attempts.$sample)
case $sample in
  memory) python3 -c 'import time; held = bytearray(b"x") * (400 << 20); time.sleep(8)' ;;
  time) [ $attempt = 2 ] || sleep 600 ;;
  node) [ $attempt = 2 ] || {{ touch {self.folder}/on_node; sleep 600; }} ;;
esac
exec {self.gannet} "$@"
""")
        script.chmod(0o755)
        return script

    def killed(self):
        """Three samples whose first jobs are killed: for memory, for time, and with their node."""
        names = ("memory", "time", "node")
        for name in names:
            (self.data / name).mkdir()
            for mate in (1, 2):  # a file may be given once
                os.link(self.data / f"first/A/reads_{mate}.fq.gz", self.data / name / f"reads_{mate}.fq.gz")
        write_sheet(self.data / "killed.csv", [f"{name},{name}/reads_1.fq.gz,{name}/reads_2.fq.gz" for name in names], "sample,fastq_1,fastq_2")
        config = self.folder / "killed.config"
        config.write_text(self.config.read_text() + "process { withName: GANNET_RUN { time = { meta.id == 'time' ? 1.min * task.attempt ** 3 : 30.min } } }\n")
        process = self.start(*self.options("killed.csv"), "--cpus", "1", "--memory", "300.MB", "--gannet", self.hungry_gannet(), "--outdir", "killed",
                             "-profile", "slurm", "-c", config, "-log", "retried.log")
        self.cluster.wait("job that waits for its node to go down", (self.folder / "on_node").exists, seconds=300)
        self.until(process, "retried.log", lambda rows: {name for name in names for row in rows if f"GANNET_RUN ({name})" in row["name"]} == {"memory", "time"})
        job = (self.folder / "attempts.node").read_text().strip()
        node = next(found["NodeList"] for found in self.cluster.jobs() if found["JobId"] == job)
        self.cluster.update(node, "down")
        self.cluster.wait("end of the job of the node that went down",
                          lambda: next(found["JobState"] for found in self.cluster.jobs() if found["JobId"] == job) == "NODE_FAIL")
        self.cluster.resume(node)
        expect(process.wait(600) == 0, "the workflow ends well\n" + (self.folder / "nextflow.out").read_text()[-1500:] * bool(process.returncode))
        jobs = {job["JobId"]: job for job in self.cluster.jobs()}
        rows = sorted(tasks(self.folder, "retried.log"), key=lambda row: int(row["task_id"]))
        for name, states, exits in (("memory", ("FAILED", "OUT_OF_MEMORY"), ("-", "137")), ("time", ("FAILED", "TIMEOUT"), ("140", "143")), ("node", ("NODE_FAIL",), ("-", "143"))):
            attempts = [row for row in rows if f"GANNET_RUN ({name})" in row["name"]]
            own = [jobs[number] for number in (self.folder / f"attempts.{name}").read_text().split()]
            memory = [re.search(r"mem=(\w+)", job["TRES"])[1] for job in own]
            text = f"{name}: exit {attempts[0]['exit']}, {own[0]['JobState']}, then {own[-1]['JobState']}; memory {', '.join(memory)}; limits {', '.join(job['TimeLimit'] for job in own)}"
            expect([row["status"] for row in attempts] == ["FAILED", "COMPLETED"] and len(own) == 2 and own[0]["JobState"] in states and attempts[0]["exit"] in exits, text)
            expect(memory == ["300M", "600M"], f"{name}: the second attempt asked for more memory")
            found = body(self.folder / "killed" / name / f"{name}.vcf.gz")
            expect(len(found) > 10, f"{name}: {len(found)} variants")
        tool(self.gannet, "run", self.data / "ref.fa.gz", *(self.data / f"first/A/reads_{mate}.fq.gz" for mate in (1, 2)), "--sample", "memory", "-o", self.folder / "alone")
        for name in names:
            found, wanted = (body(self.folder / outdir / f"{sample}.vcf.gz") for outdir, sample in ((f"killed/{name}", name), ("alone", "memory")))
            expect(found == wanted, f"{name}: the VCF body of gannet run")

    def limits(self):
        """A job that no node can hold is not asked for where the nodes' limits are given; elsewhere Slurm's refusal ends the workflow."""
        write_sheet(self.data / "one.csv", ["first,first/A/reads_1.fq.gz,first/A/reads_2.fq.gz"], "sample,fastq_1,fastq_2")
        options = [*self.options("one.csv"), "--cpus", "64", "--memory", "1.TB", "--outdir", "none", *self.slurm()]
        process = self.start(*options)
        try:
            code = process.wait(120)
        except subprocess.TimeoutExpired:
            code = None
        out = (self.folder / "nextflow.out").read_text()
        expect(code == 1 and "sbatch: error: " in out, f"a job that Slurm refuses ends the workflow: {code}\n" + out[-1500:] * (code is None))
        nextflow(self.folder, *options, "--max_cpus", "4", "--max_memory", "8.GB")
        last = [job for job in self.cluster.jobs() if "GANNET_RUN" in job["JobName"]][-1]
        expect("cpu=4,mem=8G" in last["TRES"] and last["JobState"] == "COMPLETED", f"--max_cpus and --max_memory fit it to the nodes: {last['TRES']}")


def skip(why, variable):
    print(f"SKIPPED: {why}")
    sys.exit(1 if os.environ.get(variable) == "1" else 77)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gannet", required=True, type=pathlib.Path)
    parser.add_argument("parts", nargs="*", default=("scattered", "killed", "limits"))
    arguments = parser.parse_args()
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        skip(f"there is no Slurm here: {', '.join(missing)} (apt-get install slurm-wlm munge)", "GANNET_REQUIRE_TOOLS")
    need_nextflow()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("FAILED  ended by a signal"))  # so that no daemon stays behind
    with tempfile.TemporaryDirectory(prefix="gannet_slurm_", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        with Cluster(folder / "cluster") as cluster:
            test = Test(str(arguments.gannet.resolve()), folder, cluster)
            try:
                for part in arguments.parts or ("scattered", "killed", "limits"):
                    getattr(test, part)()
            finally:
                test.kill()
    print("slurm: all checks passed")


if __name__ == "__main__":
    main()
