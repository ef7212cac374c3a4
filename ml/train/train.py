#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the scorer on shards of examples (`gannet examples`): in floating point first, then with the rounding of the integer network.

  train.py --train DIR... --validate DIR... -o RUN                one process; a GPU if there is one
  torchrun --nproc_per_node 4 train.py --train ... -o RUN         one process per GPU (or CPU), DistributedDataParallel

RUN/checkpoint.pt allows going on after a stop (--resume), RUN/best.pt is the quantised network with the lowest loss on validation (what
export.py takes), RUN/log.jsonl has a line an epoch. One seed, one device and one number of threads give the same run again.
"""
from __future__ import annotations

import argparse
import contextlib
import copy
import json
import math
import pathlib
import time
from typing import Dict, Iterator, List, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import input_error
import integer_reference
import measure
import network as networks
import processes
import shards

LN10 = math.log(10.0)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=pathlib.Path, nargs="+", required=True, help="shards or folders of them")
    parser.add_argument("--validate", type=pathlib.Path, nargs="+", required=True, help="of other contigs than --train")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=12, help="in floating point [12]")
    parser.add_argument("--quantised-epochs", type=int, default=5, help="with rounding [5]")
    parser.add_argument("--minutes", type=float, default=0, help="floating point ends after this time, for a fixed budget [no limit]")
    parser.add_argument("--patience", type=int, default=5, help="a phase ends after as many epochs without a better loss [5]")
    parser.add_argument("--batch", type=int, default=256, help="examples a step, over all processes [256]")
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate; a tenth of it with rounding [2e-3]")
    parser.add_argument("--weight-decay", type=float, default=0.01)
    parser.add_argument("--average", type=float, default=0.998,
                        help="what is kept of the mean of the weights at a step, so that it is one of about 1 / (1 - this) steps; 0: the last weights [0.998]")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--row-dropout", type=float, default=0.05, help="fraction of reads left out in training [0.05]")
    parser.add_argument("--easy", type=float, default=0.2, help="fraction of the easy examples per epoch, with weight 1 / fraction [0.2]")
    parser.add_argument("--easy-posterior", type=float, default=0.999, help="easy: the caller's posterior of the truth [0.999]")
    parser.add_argument("--summary-only", action="store_true", help="without reads, from the site's bytes alone, in floating point only: to see what the reads are worth")
    parser.add_argument("--kind-weights", type=float, nargs=4, default=[1.0, 1.0, 1.0, 1.0], metavar="W", help="SNP insertion deletion other")
    parser.add_argument("--false-weight", type=float, default=0.25,
                        help="weight of candidates that are not in the truth: made-up troubles are commoner than real ones [0.25]")
    parser.add_argument("--hold-back", type=float, default=1e-3, help="cost of a squared correction [1e-3]")
    parser.add_argument("--channels", type=int, nargs=5, default=list(networks.DEFAULT_CHANNELS.values()), metavar="N",
                        help="conv1 conv2 read site1 site2 [16 32 96 192 64]")
    parser.add_argument("--settle", type=int, default=40, help="the model's first tier: examples that it settles are left out, as calling never "
                        "shows them to the network; 0: none [40]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of the CPU [1]")
    parser.add_argument("--cache", type=pathlib.Path, help="unpack shards here and map them: for more examples than memory holds")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N [auto: cuda where there is one]")
    parser.add_argument("--bf16", action="store_true", help="matrix products of the phase in floating point in bfloat16 (GPUs since A100)")
    parser.add_argument("--start", type=pathlib.Path, help="what to begin with: best_float.pt of another run, or the weights of a model (.safetensors)")
    parser.add_argument("--new-features", nargs="*", default=[], metavar="NAME", help="features of a site's summary that the model of --start did not know")
    parser.add_argument("--resume", action="store_true", help="go on from RUN/checkpoint.pt")
    arguments = parser.parse_args()
    if arguments.batch < 1:
        parser.error("--batch must be at least 1")
    return arguments


class Average:
    """The mean of the weights over the last steps, which is what is validated and kept: the steps' noise is not in it (Polyak and Juditsky
    1992). Every process has the same. Counts on the host, so that no step waits for the device."""

    def __init__(self, network: networks.PileupNetwork, decay: float) -> None:
        self.network = copy.deepcopy(network)
        self.decay, self.steps = decay, 0

    @torch.no_grad()
    def add(self, network: networks.PileupNetwork) -> None:
        share = 1.0 if self.steps == 0 else max(1 - self.decay, 1 / (self.steps + 1))
        for mean, weight in zip(self.network.parameters(), network.parameters()):
            mean.add_((weight - mean) * share)
        self.steps += 1


class Trainer:
    """State of a run; one a process."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.processes = processes.Processes()
        self.device = processes.pick_device(arguments.device, self.processes)
        if arguments.batch < self.processes.world:
            raise input_error.UsageError(f"--batch {arguments.batch} is less than one example for each of {self.processes.world} processes")
        torch.set_num_threads(arguments.threads)
        torch.manual_seed(arguments.seed)
        self.processes.join(self.device)
        self.data = shards.ExampleSet(arguments.train, arguments.cache, arguments.settle)
        self.validation = shards.ExampleSet(arguments.validate, arguments.cache, arguments.settle)
        channels = dict(zip(networks.DEFAULT_CHANNELS, arguments.channels))
        self.network = networks.PileupNetwork(channels, arguments.dropout).to(self.device)
        self.hard = self.hard_examples()
        self.label_weight = np.array([arguments.false_weight, 1.0, 1.0], dtype=np.float32)
        self.kind_weight = np.array(arguments.kind_weights, dtype=np.float32)
        self.parallel: nn.Module = self.wrap()
        self.average = self.new_average()
        self.phase, self.epoch = 0, 0
        self.seconds, self.epoch_seconds = 0.0, 0.0  # of training so far and of its last epoch, by the clock of the first process
        self.best, self.stale = math.inf, 0
        self.optimiser = self.new_optimiser()

    def wrap(self) -> nn.Module:
        return nn.parallel.DistributedDataParallel(self.network) if self.processes.world > 1 else self.network

    def new_average(self) -> Average:
        return Average(self.network, self.arguments.average)

    @property
    def kept(self) -> networks.PileupNetwork:
        return self.average.network

    def new_optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.network.parameters(), lr=1e-3, weight_decay=self.arguments.weight_decay)

    def hard_examples(self) -> np.ndarray:
        """Examples of which the caller alone is not both right and sure."""
        posterior = measure.log10_normalised(self.data.base_log10())
        true = posterior[np.arange(len(self.data)), self.data.meta["label"]]
        return true < math.log10(self.arguments.easy_posterior)

    def say(self, text: str) -> None:
        if self.processes.rank == 0:
            print(text, flush=True)

    def tensors(self, batch: shards.Batch) -> Dict[str, Tensor]:
        if self.arguments.summary_only:
            batch.rows, batch.slot = batch.rows[:0], batch.slot[:0]
        return {name: torch.from_numpy(getattr(batch, name)) for name in ("rows", "slot", "sites", "base", "label", "kind")}

    def on_device(self, data: shards.ExampleSet, index: np.ndarray) -> Dict[str, Tensor]:
        return processes.move(self.tensors(data.batch(index)), self.device)

    def thin_rows(self, batch: shards.Batch, rng: np.random.Generator) -> None:
        """Leaves out reads at random, so that no single one is relied on."""
        if self.arguments.row_dropout > 0:
            kept = rng.random(len(batch.rows)) >= self.arguments.row_dropout
            batch.rows, batch.slot = batch.rows[kept], batch.slot[kept]

    def epoch_order(self, rng: np.random.Generator) -> Tuple[np.ndarray, np.ndarray]:
        """This epoch's examples in random order, and their weights; the same in every process."""
        picked = np.flatnonzero(self.hard | (rng.random(len(self.data)) < self.arguments.easy))
        rng.shuffle(picked)
        weight = np.where(self.hard[picked], 1.0, 1.0 / self.arguments.easy).astype(np.float32)
        meta = self.data.meta[picked]
        return picked, weight * self.kind_weight[meta["kind"]] * self.label_weight[meta["label"]]

    def steps(self, rng: np.random.Generator) -> Iterator[Tuple[float, Dict[str, Tensor]]]:
        """Batches of this process, on the host; every process gets as many. Yields the fraction of the epoch that is done. The weights of a
        step's examples add up to the number of processes over all of them: the mean of the processes' gradients is that of one process."""
        order, weight = self.epoch_order(rng)
        world = self.processes.world
        if len(order) < world:
            raise input_error.UsageError(f"{len(order)} examples of --train are too few for {world} processes")
        size = min(self.arguments.batch, len(order))
        total = len(order) // size
        for step in range(total):
            whole = slice(step * size, (step + 1) * size)
            part = slice(whole.start + self.processes.rank, whole.stop, world)
            batch = self.data.batch(order[part])
            self.thin_rows(batch, rng)
            tensors = self.tensors(batch)
            tensors["weight"] = torch.from_numpy(weight[part] * np.float32(world / weight[whole].sum()))
            yield step / total, tensors

    def rate(self, done: float) -> float:
        """Warms up over half an epoch, then falls as a cosine; with rounding a tenth of it, falling."""
        epochs = self.arguments.quantised_epochs if self.phase else self.arguments.epochs
        at = min(1.0, (self.epoch + done) / max(1, epochs))
        if not self.phase and self.arguments.minutes > 0:
            # Not the time of this moment, which is another in each process: with other rates their weights would drift apart.
            at = max(at, min(1.0, (self.seconds + done * self.epoch_seconds) / (60 * self.arguments.minutes)))
        warm = min(1.0, (self.epoch + done + 0.02) / 0.5) if not self.phase else 1.0
        return self.arguments.rate * (0.1 if self.phase else 1.0) * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * at)))

    def loss(self, batch: Dict[str, Tensor]) -> Tuple[Tensor, Tensor]:
        """Weighted cross entropy of base + correction, and what holds the correction back."""
        # Rounding to the integer network's bytes is exact in float32 only.
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.arguments.bf16 and not self.phase):
            correction = self.parallel(batch["rows"], batch["slot"], batch["sites"])
        correction = correction.float()
        entropy = functional.cross_entropy(LN10 * (batch["base"] + correction), batch["label"], reduction="none")
        return (entropy * batch["weight"]).sum(), self.arguments.hold_back * correction.square().mean()

    def train_epoch(self) -> float:
        """One epoch; the mean training loss. The host runs ahead of the device: nothing is read back before the end."""
        rng = np.random.default_rng([self.arguments.seed, self.phase, self.epoch])
        self.parallel.train()
        total, count = torch.zeros((), device=self.device), 0
        started = time.monotonic()
        for done, batch in processes.prepared(lambda: self.steps(rng), self.device):
            for group in self.optimiser.param_groups:
                group["lr"] = self.rate(done)
            loss, held = self.loss(batch)
            self.optimiser.zero_grad(set_to_none=True)
            (loss + held).backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimiser.step()
            self.average.add(self.network)
            total, count = total + loss.detach(), count + 1
        mean = float(self.processes.joined(total)) / self.processes.world / max(1, count)
        self.epoch_seconds = self.processes.of_first(time.monotonic() - started, self.device)
        self.seconds += self.epoch_seconds
        return mean

    @torch.no_grad()
    def scores(self, data: shards.ExampleSet) -> np.ndarray:
        """base + correction of every example, log10: each process works out its share, and all have the whole."""
        self.kept.eval()
        found = torch.zeros(len(data), 3, device=self.device)
        share = self.processes.share(len(data))
        for part in measure.batches_of(len(share), 512):
            batch = self.on_device(data, part + share.start)
            found[part[0] + share.start : part[-1] + share.start + 1] = batch["base"] + self.kept(batch["rows"], batch["slot"], batch["sites"])
        return self.processes.joined(found).cpu().numpy()

    def validate(self) -> Dict[str, measure.Counts]:
        meta = self.validation.meta
        return measure.by_group(self.scores(self.validation), meta["label"].astype(np.int64), meta["kind"], self.label_weight)

    def save(self, name: str) -> None:
        if self.processes.rank != 0:
            return
        state = {"channels": self.network.channels, "network": self.kept.state_dict(), "quantised": self.network.quantised,
                 "last_step": self.network.state_dict(), "steps": self.average.steps,
                 "optimiser": self.optimiser.state_dict(), "phase": self.phase, "epoch": self.epoch, "seconds": self.seconds, "epoch_seconds": self.epoch_seconds,
                 "best": self.best, "stale": self.stale, "torch_rng": torch.get_rng_state(),
                 "arguments": {k: str(v) for k, v in vars(self.arguments).items()}}
        beside = self.arguments.output / f"{name}.part"
        torch.save(state, beside)
        beside.rename(self.arguments.output / name)

    def restore(self, path: pathlib.Path, all_of_it: bool = True) -> None:
        state = torch.load(path, map_location=self.device)
        self.network.load_state_dict(state["network"])
        self.average = self.new_average()
        if all_of_it:
            self.network.load_state_dict(state["last_step"])
            self.average.steps = state["steps"]
            self.network.quantised = self.kept.quantised = state["quantised"]
            self.optimiser.load_state_dict(state["optimiser"])
            self.phase, self.epoch, self.seconds = state["phase"], state["epoch"], state["seconds"]
            self.epoch_seconds = state.get("epoch_seconds", 0.0)
            self.best, self.stale = state["best"], state["stale"]
            self.best, self.stale = state["best"], state["stale"]
            torch.set_rng_state(state["torch_rng"].cpu())

    def start(self) -> None:
        """Begins with another run's network, or with that of a model."""
        if self.arguments.start.suffix == ".safetensors":
            self.network.start_from(integer_reference.IntegerNetwork(self.arguments.start), self.arguments.new_features)
            self.average = self.new_average()
        else:
            self.restore(self.arguments.start, all_of_it=False)

    def report(self, label: str, loss: float, counts: Dict[str, measure.Counts], seconds: float) -> None:
        text = "; ".join(f"{name}: {c.text()}" for name, c in counts.items())
        self.say(f"{label} train {loss:.5f} | {text} | {seconds:.0f} s")
        if self.processes.rank == 0:
            with open(self.arguments.output / "log.jsonl", "a") as log:
                log.write(json.dumps({"epoch": label, "train": loss, "seconds": seconds, **{n: vars(c) for n, c in counts.items()}}) + "\n")

    def run_phase(self, epochs: int, best_name: str) -> None:
        """Epochs until time, patience or epochs are used up; keeps the best network under `best_name`."""
        while self.epoch < epochs and self.stale < self.arguments.patience:
            if not self.phase and self.arguments.minutes > 0 and self.seconds >= 60 * self.arguments.minutes:
                break
            started = time.monotonic()
            loss = self.train_epoch()
            counts = self.validate()
            self.epoch += 1
            self.report(f"{'quantised' if self.phase else 'float'} {self.epoch}", loss, counts, time.monotonic() - started)
            self.stale += 1
            if counts["all"].loss < self.best:
                self.best, self.stale = counts["all"].loss, 0
                self.save(best_name)
            self.save("checkpoint.pt")

    def quantise(self) -> None:
        """From the best network in floating point to the start of the phase with rounding."""
        self.processes.wait()
        if (self.arguments.output / "best_float.pt").exists():
            self.restore(self.arguments.output / "best_float.pt", all_of_it=False)
        rng = np.random.default_rng([self.arguments.seed, 9])
        sample = rng.permutation(len(self.data))[:4096]
        networks.calibrate(self.network, [self.on_device(self.data, sample[k]) for k in measure.batches_of(len(sample), 512)])
        self.network.quantised = True
        self.phase, self.epoch, self.best, self.stale = 1, 0, math.inf, 0
        self.parallel = self.wrap()
        self.average = self.new_average()
        self.optimiser = self.new_optimiser()

    def run_rounded(self) -> None:
        """The phase with rounding, from its start or where a run was stopped in it."""
        if self.phase == 0:
            self.quantise()
            counts = self.validate()
            self.report("rounded", 0.0, counts, 0.0)
            self.best = counts["all"].loss
            self.save("best.pt")  # more epochs need not be better
        self.run_phase(self.arguments.quantised_epochs, "best.pt")
        self.say(f"best quantised validation loss {self.best:.5f}: {self.arguments.output / 'best.pt'}")

    def run(self) -> None:
        arguments = self.arguments
        self.say(f"{len(self.data)} examples ({int(self.hard.sum())} hard), {len(self.validation)} to validate; "
                 f"{sum(p.numel() for p in self.network.parameters())} parameters; {self.device}, {self.processes.world} process(es)")
        if arguments.resume and (arguments.output / "checkpoint.pt").exists():
            self.restore(arguments.output / "checkpoint.pt")
        else:
            if arguments.start:
                self.start()
            self.report("start" if arguments.start else "caller alone", 0.0, self.validate(), 0.0)
        if self.phase == 0:
            self.run_phase(arguments.epochs, "best_float.pt")
        if arguments.summary_only:  # the layers that read reads have no range to be rounded to
            self.say(f"best validation loss {self.best:.5f}: {arguments.output / 'best_float.pt'}")
        else:
            self.run_rounded()
        self.processes.end()


def main() -> None:
    arguments = parse_arguments()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(KeyboardInterrupt):
        with processes.memory_advice(arguments.batch):
            Trainer(arguments).run()


if __name__ == "__main__":
    with input_error.reported():
        main()
