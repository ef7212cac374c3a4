# SPDX-License-Identifier: MIT
"""The scorer's network in floating point, with the rounding of its integer form where that is asked for.

Activations are bytes / 255 here. While `quantised` is off they are only rectified; after calibrate() has folded each channel's range
into the weights, `quantised` clamps them to 0..1 and rounds them to bytes, and rounds weights to -63..63 steps an output channel,
passing gradients straight through (Bengio et al. 2013, arXiv:1308.3432; Jacob et al. 2018, arXiv:1712.05877).
"""
from __future__ import annotations

from typing import Dict, List, NamedTuple, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import features
import integer_reference as ints
import shards
from input_error import InputError

DEFAULT_CHANNELS = {"conv1": 16, "conv2": 32, "read": 96, "site1": 192, "site2": 64}
STEPS = 63.0
MAP_BYTES = shards.COLUMNS * shards.CHANNELS


def unit_of(layer: str) -> float:
    """What an output of 1 of a layer is in integers."""
    return shards.UNIT if layer == "output" else 255.0


class IntegerLayer(NamedTuple):
    """What the weights file holds of a layer."""

    weight: np.ndarray
    bias: np.ndarray
    multiplier: np.ndarray
    shift: np.ndarray


def straight_through(exact: Tensor, rounded: Tensor) -> Tensor:
    """`rounded` forwards, the gradient of `exact` backwards."""
    return exact + (rounded - exact).detach()


def to_bytes(x: Tensor) -> Tensor:
    """Clamped to 0..1 and rounded to n / 255."""
    x = x.clamp(0.0, 1.0)
    return straight_through(x, (x * 255.0 + 0.5).floor() / 255.0)


class Layer(nn.Module):
    """A dense layer with one scale an output channel."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.kaiming_normal_(self.weight, nonlinearity="relu")

    def step(self) -> Tensor:
        """What one integer step of a weight is worth, outputs x 1."""
        return self.weight.detach().abs().amax(dim=1, keepdim=True).clamp_min(1e-5) / STEPS

    def forward(self, x: Tensor, quantised: bool) -> Tensor:
        weight = self.weight
        if quantised:
            step = self.step()
            weight = straight_through(weight, (weight / step).round() * step)
        return functional.linear(x, weight, self.bias)

    def to_integers(self, output_unit: float) -> IntegerLayer:
        """The integer layer whose result is output_unit x this one's, for inputs that are bytes / 255."""
        step = self.step().double()
        weight = (self.weight.detach().double() / step).round().clamp(-STEPS, STEPS)
        bias = (self.bias.detach().double() * 255.0 / step[:, 0]).round().clamp(-(2**24), 2**24)
        factor = (step[:, 0] * output_unit / 255.0).cpu().numpy()
        shift = np.clip(np.floor(np.log2(32767.0 / factor)), 1, 40).astype(np.int64)
        multiplier = np.clip(np.round(factor * 2.0**shift), 1, 32767)
        return IntegerLayer(weight.cpu().numpy().astype(np.int8), bias.cpu().numpy().astype("<i4"), multiplier.astype("<i4"), shift.astype("<i4"))

    @torch.no_grad()
    def from_integers(self, layer: IntegerLayer, output_unit: float) -> None:
        """The inverse of to_integers, which gives the same integers again where a row has a weight of 63 or -63."""
        step = torch.from_numpy(layer.multiplier / 2.0**layer.shift * 255.0 / output_unit)
        self.weight.copy_(torch.from_numpy(layer.weight.astype(np.float64)) * step[:, None])
        self.bias.copy_(torch.from_numpy(layer.bias.astype(np.float64)) * step / 255.0)


class PileupNetwork(nn.Module):
    """Rows of a candidate's reads and its site to a correction of log10 posteriors, examples x 3."""

    def __init__(self, channels: Dict[str, int], dropout: float = 0.0) -> None:
        super().__init__()
        self.channels = dict(channels)
        self.quantised = False
        self.dropout = dropout
        c = channels
        self.conv1 = Layer(ints.WINDOW * shards.CHANNELS, c["conv1"])
        self.conv2 = Layer(ints.WINDOW * c["conv1"], c["conv2"])
        self.read = Layer(ints.CONV2_POSITIONS * c["conv2"] + shards.ROW_FEATURES, c["read"])
        self.site1 = Layer(2 * shards.POOLS * c["read"] + shards.SITE_BYTES, c["site1"])
        self.site2 = Layer(c["site1"], c["site2"])
        self.output = Layer(c["site2"], 3)
        nn.init.zeros_(self.output.weight)  # training starts from the caller as it is

    def activate(self, name: str, x: Tensor) -> Tensor:
        """A layer and its rectifier."""
        y = getattr(self, name)(x, self.quantised)
        return to_bytes(y) if self.quantised else functional.relu(y)

    def read_rows(self, rows: Tensor) -> Tensor:
        """uint8 rows to `read` activations."""
        x = rows.to(torch.float32) / 255.0
        y = x[:, :MAP_BYTES].unfold(1, ints.WINDOW * shards.CHANNELS, ints.STRIDE * shards.CHANNELS)
        y = self.activate("conv1", y).flatten(1)
        c = self.channels["conv1"]
        y = self.activate("conv2", y.unfold(1, ints.WINDOW * c, ints.STRIDE * c)).flatten(1)
        return self.activate("read", torch.cat([y, x[:, MAP_BYTES:]], dim=1))

    def pool(self, grid: Tensor, mask: Tensor) -> List[Tensor]:
        """Mean and maximum over the reads that `mask` picks; grid is examples x rows x channels."""
        kept = grid * mask.unsqueeze(2)
        mean = kept.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp_min(1.0)
        return [to_bytes(mean) if self.quantised else mean, kept.amax(dim=1)]

    def forward(self, rows: Tensor, slot: Tensor, sites: Tensor) -> Tensor:
        examples = sites.shape[0]
        reads = self.read_rows(rows)
        grid = reads.new_zeros(examples * shards.MAX_ROWS, reads.shape[1]).index_copy(0, slot, reads)
        first = rows[:, MAP_BYTES]
        pool = reads.new_zeros(shards.POOLS, examples * shards.MAX_ROWS)
        for k, inside in enumerate((first >= 192, (first >= 64) & (first < 192), first < 64)):
            pool[k, slot] = inside.to(reads.dtype)
        grid = grid.view(examples, shards.MAX_ROWS, -1)
        pooled = [part for mask in pool.view(shards.POOLS, examples, shards.MAX_ROWS) for part in self.pool(grid, mask)]
        x = torch.cat([*pooled, sites.to(torch.float32) / 255.0], dim=1)
        x = self.activate("site1", x)
        if self.dropout > 0:
            x = functional.dropout(x, self.dropout, self.training)
        return self.output(self.activate("site2", x), self.quantised)

    @torch.no_grad()
    def fold(self, name: str, scale: Tensor) -> None:
        """Divides a layer's outputs by `scale` and multiplies what reads them, so that only the range changes."""
        layer = getattr(self, name)
        layer.weight /= scale[:, None]
        layer.bias /= scale
        if name == "conv1":
            self.conv2.weight *= scale.repeat(ints.WINDOW)
        elif name == "conv2":
            self.read.weight[:, : ints.CONV2_POSITIONS * len(scale)] *= scale.repeat(ints.CONV2_POSITIONS)
        elif name == "read":
            self.site1.weight[:, : 2 * shards.POOLS * len(scale)] *= scale.repeat(2 * shards.POOLS)
        else:
            getattr(self, {"site1": "site2", "site2": "output"}[name]).weight *= scale

    def to_integers(self) -> Dict[str, IntegerLayer]:
        """All layers as the weights file has them."""
        return {name: getattr(self, name).to_integers(unit_of(name)) for name in ints.LAYERS}

    @torch.no_grad()
    def start_from(self, integers: ints.IntegerNetwork, new_features: Sequence[str] = ()) -> None:
        """The network of a weights file, in which the `new_features` of the site's summary, bytes that were unused when it was trained,
        have no effect yet."""
        for name in ints.LAYERS:
            layer = IntegerLayer(**integers.layers[name])
            shape = tuple(getattr(self, name).weight.shape)
            if layer.weight.shape != shape:
                raise InputError(f"{integers.path}: layer {name} has the shape {layer.weight.shape}, not {shape}: give its --channels")
            getattr(self, name).from_integers(layer, unit_of(name))
        table = {feature.name: feature for feature in features.SUMMARY_TABLE}
        summary = self.site1.weight.shape[1] - shards.SITE_BYTES + features.COLUMNS * features.SITE_CHANNELS
        for name in new_features:
            if name not in table:
                raise InputError(f"the summary of a site has no feature {name}")
            begin = summary + table[name].offset
            self.site1.weight[:, begin : begin + table[name].count] = 0


@torch.no_grad()
def calibrate(network: PileupNetwork, batches: List[Dict[str, Tensor]], quantile: float = 0.9995) -> None:
    """Folds the range of each channel, the `quantile` of its positive values over `batches`, into the weights."""
    network.eval()
    for name in ints.LAYERS[:-1]:
        seen: List[Tensor] = []
        layer = getattr(network, name)
        hook = layer.register_forward_hook(lambda _m, _i, out: seen.append(out.detach().flatten(0, -2)[:: 1 + out.numel() // 4_000_000]))
        for batch in batches:
            network(batch["rows"], batch["slot"], batch["sites"])
        hook.remove()
        values = torch.cat(seen).sort(dim=0).values
        top = values[min(len(values) - 1, int(quantile * len(values)))]
        network.fold(name, torch.where(top > 1e-4, top, torch.ones_like(top)))
