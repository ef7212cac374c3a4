# SPDX-License-Identifier: MIT
"""The device of a training, its processes (torchrun), and batches that are prepared while the device works on the one before."""
from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from typing import Callable, Dict, Iterator, Tuple

import torch
import torch.distributed as dist
from torch import Tensor

from input_error import DeviceError, DeviceMemoryError, HostMemoryError, UsageError

PREPARED = 2  # batches ahead of the device; each waits in pinned memory, so that its copy does not hold the host up


class Processes:
    """One process of `world` that train together. Whatever steers the training (the clock, the loss on validation) must be the same in
    each: a process that ends an epoch or a phase alone leaves the others waiting for its gradients for ever."""

    def __init__(self) -> None:
        self.rank, self.world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        self.local_rank = int(os.environ.get("LOCAL_RANK", "0"))

    def join(self, device: torch.device) -> None:
        if self.world > 1:
            dist.init_process_group("nccl" if device.type == "cuda" else "gloo")

    def end(self) -> None:
        """Ends one of several processes when all of its work is done and written. With gloo at once, since where both ends of a connection
        are freed together, one of them sometimes waits for ever (PyTorch 1.13 on a busy machine: a process that nothing keeps from ending)."""
        if self.world == 1:
            return
        dist.barrier()
        if dist.get_backend() == "gloo":
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        dist.destroy_process_group()

    def wait(self) -> None:
        if self.world > 1:
            dist.barrier()

    def of_first(self, value: float, device: torch.device) -> float:
        """The value that the first process has."""
        if self.world == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64, device=device)
        dist.broadcast(shared, 0)
        return float(shared)

    def joined(self, parts: Tensor) -> Tensor:
        """What each process has filled in of a tensor that is zero elsewhere, in every process."""
        if self.world > 1:
            dist.all_reduce(parts)
        return parts

    def share(self, total: int) -> range:
        """This process's part of 0..total-1."""
        return range(self.rank * total // self.world, (self.rank + 1) * total // self.world)


def pick_device(name: str, processes: Processes) -> torch.device:
    """`auto`, `cpu`, `cuda` (a device per process of a machine) or `cuda:N`."""
    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        name = "cuda" if there else "cpu"
    kind, colon, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (colon and not (kind == "cuda" and number.isdecimal())):
        raise UsageError(f"--device {name}: is none of auto, cpu, cuda, cuda:N")
    if kind == "cpu":
        return torch.device("cpu")
    if colon and processes.world > 1:
        raise UsageError(f"--device {name}: {processes.world} processes would share one device; give --device cuda")
    if not there:
        why = "this PyTorch is built without CUDA" if torch.version.cuda is None else "PyTorch finds no device or driver"
        raise DeviceError(f"--device {name}: {why}; --device cpu trains without one")
    index = int(number) if colon else processes.local_rank
    if index >= there:
        raise DeviceError(f"--device {name}: no device {index}, there are {there}: start at most one process per device")
    device = torch.device("cuda", index)
    torch.cuda.set_device(device)
    return device


@contextlib.contextmanager
def memory_advice(batch: int) -> Iterator[None]:
    """An allocation that fails becomes one line that says what to do."""
    try:
        yield
    except MemoryError as fault:
        raise HostMemoryError("out of memory of the host: map the examples from the disk with --cache DIR, or give fewer to --train") from fault
    except RuntimeError as fault:  # torch.cuda.OutOfMemoryError is one; the allocator of the CPU has no class of its own
        text = str(fault)
        if "out of memory" in text:
            raise DeviceMemoryError(f"out of memory on the device: give a smaller --batch than {batch}, or more processes (torchrun)") from fault
        if "can't allocate memory" in text:
            raise HostMemoryError(f"out of memory of the host: give a smaller --batch than {batch}, or map the examples with --cache DIR") from fault
        raise


def move(tensors: Dict[str, Tensor], device: torch.device) -> Dict[str, Tensor]:
    """To the device; from pinned memory the host does not wait for it."""
    if device.type == "cpu":
        return tensors
    return {name: tensor.to(device, non_blocking=True) for name, tensor in tensors.items()}


def pinned(tensors: Dict[str, Tensor], device: torch.device) -> Dict[str, Tensor]:
    if device.type == "cpu":
        return tensors
    return {name: tensor.pin_memory() for name, tensor in tensors.items()}


def prepared(produce: Callable[[], Iterator[Tuple[float, Dict[str, Tensor]]]], device: torch.device) -> Iterator[Tuple[float, Dict[str, Tensor]]]:
    """What produce() yields, in its order, made in a thread of its own a few batches ahead. An exception there is raised here; the thread
    ends with the consumer."""
    ready: "queue.Queue[object]" = queue.Queue(PREPARED)
    stopped = threading.Event()

    def offer(item: object) -> bool:
        while not stopped.is_set():
            with contextlib.suppress(queue.Full):
                ready.put(item, timeout=0.1)
                return True
        return False

    def work() -> None:
        last: object = None
        try:
            for done, tensors in produce():
                if not offer((done, pinned(tensors, device))):
                    return
        except BaseException as fault:  # raised again where the batches are taken
            last = fault
        offer(last)

    thread = threading.Thread(target=work, name="batches", daemon=True)
    thread.start()
    try:
        while isinstance(item := ready.get(), tuple):
            yield item[0], move(item[1], device)
        if isinstance(item, BaseException):
            raise item
    finally:
        stopped.set()
        thread.join()
